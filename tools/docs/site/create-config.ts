// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type MarkdownRenderer, type UserConfig } from 'vitepress';
import { mapProse, slugOf } from '../src/markdown.ts';
import type { Navigation } from '../src/navigation.ts';

const BASE = '/docs/';

/**
 * VitePress, so that the API gateway's policy may allow nothing inline: colors of code become classes, and the scripts
 * of the page's head become files.
 */
export function createConfig({ nav, sidebar }: Navigation): UserConfig {
  const code = new CodeColours();
  const scripts = new Map<string, string>();
  return defineConfig({
    lang: 'en',
    title: 'chainwatch',
    description: 'Self-hosted blockchain monitoring',
    base: BASE,
    cleanUrls: true,
    metaChunk: true,
    head: [['link', { rel: 'icon', href: `${BASE}icon.svg`, type: 'image/svg+xml' }]],
    // Each page of the sidebar would be fetched, and counts against the limit of public requests.
    router: { prefetchLinks: false },
    // Switching them off for a moment needs an inline style.
    appearance: { disableTransition: false },
    vite: { build: { chunkSizeWarningLimit: 1_000 } },
    markdown: {
      config: takeCalculator,
      anchor: { slugify: slugOf },
      codeTransformers: process.env.NODE_ENV === 'production' ? [code.transformer] : [],
    },
    themeConfig: {
      nav: [...nav],
      sidebar: [...sidebar],
      outline: { level: [2, 3] },
      externalLinkIcon: true,
      search: {
        provider: 'local',
        options: {
          // Code of the reference repeats what its tables say, in four languages.
          _render: (text, env, md) =>
            md.render(env.relativePath.startsWith('reference/api/') ? withoutCode(text) : text, env),
        },
      },
    },
    transformHtml: (html) =>
      html
        .replace(/ style="[^"]*"/g, '')
        .replace(/<script id="([\w-]+)">([^]*?)<\/script>/g, (_whole, id: string, text: string) => {
          const path = `assets/${id}.${hashOf(text)}.js`;
          scripts.set(path, text);
          return `<script src="${BASE}${path}"></script>`;
        })
        .replace('</head>', `<link rel="stylesheet" href="${BASE}${code.path}"></head>`),
    buildEnd: ({ outDir }) => {
      mkdirSync(join(outDir, 'assets'), { recursive: true });
      for (const [path, text] of [...scripts, [code.path, code.css] as const])
        writeFileSync(join(outDir, path), text);
    },
  });
}

/** The line of a page in whose place it stands (theme/growth-calculator.mjs). */
const CALCULATOR = '<GrowthCalculator />';

/** Text such as <chain_gid> is text; the calculator alone is an element. */
function takeCalculator(md: MarkdownRenderer): void {
  md.set({ html: false });
  md.block.ruler.before('paragraph', 'calculator', (state, line, _end, isSilent) => {
    if (state.src.slice(state.bMarks[line], state.eMarks[line]) !== CALCULATOR) return false;
    if (isSilent) return true;
    state.push('html_block', '', 0).content = `${CALCULATOR}\n`;
    state.line = line + 1;
    return true;
  });
}

interface Element {
  properties: Record<string, unknown>;
}

/** A class for each pair of colors, light and dark. */
class CodeColours {
  readonly #classes = new Map<string, string>();
  readonly transformer = {
    name: 'colors-to-classes',
    span: (element: Element): void => {
      const { style } = element.properties;
      if (typeof style !== 'string') return;
      delete element.properties.style;
      element.properties.class = this.#classOf(style);
    },
  };

  get css(): string {
    return [...this.#classes].map(([style, name]) => `.vp-code .${name}{${style}}`).join('\n');
  }

  get path(): string {
    return `assets/code.${hashOf(this.css)}.css`;
  }

  #classOf(style: string): string {
    const known = this.#classes.get(style);
    if (known !== undefined) return known;
    const name = `c-${hashOf(style)}`;
    this.#classes.set(style, name);
    return name;
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

function withoutCode(text: string): string {
  let prose = '';
  mapProse(text, (part) => {
    prose += part;
    return part;
  });
  return prose;
}
