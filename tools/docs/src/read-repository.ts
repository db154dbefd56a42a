// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { listImages, listLinks, mapImages, mapLinks, mapProse } from './markdown.ts';
import { urlOf, type Page } from './page.ts';

export interface Repository {
  readonly pages: readonly Page[];
  /** Files that pages offer, by their path in the repository. */
  readonly files: ReadonlySet<string>;
}

/** Under this path of the site are files of the repository. */
const FILES = 'files';

/** The pages of docs/, and every page elsewhere to which one of them leads, however far. */
export function readRepository(): Repository {
  const files = new Set<string>();
  const pages = new Map<string, Page>();
  const left = readdirSync(join(repoDir, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path}`)
    .sort();
  for (let source = left.shift(); source !== undefined; source = left.shift()) {
    if (pages.has(source)) continue;
    const text = readFileSync(join(repoDir, source), 'utf8');
    for (const target of listTargets(source, text)) {
      if (target.endsWith('.md')) left.push(target);
      else files.add(target);
    }
    pages.set(source, { path: pathOf(source), text: adapt(source, text), source });
  }
  return { pages: [...pages.values()], files };
}

function listTargets(source: string, text: string): string[] {
  return [...listLinks(text), ...listImages(text)].flatMap(
    ({ target }) => resolveTarget(source, target)?.file ?? [],
  );
}

/** Links lead to pages of the site and to files that it offers, as pictures are; of other things of the repository only the text stays. */
function adapt(source: string, text: string): string {
  const prose = mapProse(text, (part) => part.replace(/<!--[^]*?-->\n*/g, ''));
  const pictured = mapImages(prose, ({ text: shown, target }) => {
    const found = resolveTarget(source, target);
    return `![${shown}](${found === undefined ? target : `/${FILES}/${found.file}`})`;
  });
  return mapLinks(pictured, ({ text: shown, target }) => {
    if (isOutside(target)) return `[${shown}](${target})`;
    const found = resolveTarget(source, target);
    if (found === undefined) return shown;
    const { file, hash } = found;
    if (file.endsWith('.md')) return `[${shown}](${urlOf(pathOf(file))}${hash})`;
    return `[${shown}](/docs/${FILES}/${file}){download}`;
  });
}

function isOutside(target: string): boolean {
  return /^(?:[a-z]+:|#|\/)/.test(target);
}

/** Undefined for what is no file of the repository. */
function resolveTarget(source: string, target: string): { file: string; hash: string } | undefined {
  if (isOutside(target)) return undefined;
  const [path = '', hash] = target.split('#');
  const file = normalize(join(dirname(source), path));
  if (file.startsWith('..') || !existsSync(join(repoDir, file))) return undefined;
  if (!statSync(join(repoDir, file)).isFile()) return undefined;
  return { file, hash: hash === undefined ? '' : `#${hash}` };
}

function pathOf(source: string): string {
  const path = source.startsWith('docs/') ? source.slice('docs/'.length) : `repository/${source}`;
  return path.replace(/(^|\/)README(?=\.md$)/, '$1index');
}
