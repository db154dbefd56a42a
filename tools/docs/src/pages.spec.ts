// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { PROBLEM_KINDS } from '@chainwatch/common/problem';
import { operations } from '../../../apps/api-gateway/src/route-table.ts';
import { listPages } from './list-pages.ts';
import { listAnchors, listImages, listLinks, mapLinks, readCodeBlocks, slugOf } from './markdown.ts';
import { buildNavigation } from './navigation.ts';
import { urlOf } from './page.ts';
import { listCommands, nameOf, readProgram } from './reference/write-cli.ts';

const { pages, files } = listPages();
const byUrl = new Map(pages.map((page) => [urlOf(page.path), page]));
const anchorsOf = new Map(pages.map(({ path, text }) => [path, new Set(listAnchors(text))]));
const textOf = (url: string): string => byUrl.get(url)?.text ?? '';

describe('the pages', () => {
  it('have a title each, and a path of their own', () => {
    expect(pages.filter(({ text }) => !/^# \S/.test(text)).map(({ path }) => path)).toEqual([]);
    expect(byUrl.size).toBe(pages.length);
  });

  it('lead to pages, anchors and files that are there', () => {
    const lost = pages.flatMap(({ path, text }) =>
      listLinks(text)
        .map(({ target }) => target)
        .filter((target) => !/^[a-z]+:/.test(target) && !isThere(path, target))
        .map((target) => `${path}: ${target}`),
    );
    expect(lost).toEqual([]);
  });

  function isThere(path: string, target: string): boolean {
    if (['/openapi.json', '/asyncapi.json'].includes(target)) return true;
    if (target.startsWith('/docs/files/'))
      return existsSync(join(repoDir, target.slice('/docs/files/'.length)));
    const [url = '', anchor] = target.split('#');
    const page = url === '' ? pages.find((one) => one.path === path) : byUrl.get(url);
    return page !== undefined && (anchor === undefined || anchorsOf.get(page.path)!.has(anchor));
  }

  it('show pictures that are there, in words too', () => {
    const shown = pages.flatMap(({ source, text }) =>
      listImages(text).map((image) => ({ source, ...image })),
    );
    const lost = shown.filter(
      ({ text, target }) =>
        text === '' ||
        !target.startsWith('/files/') ||
        !existsSync(join(repoDir, target.slice('/files/'.length))),
    );
    expect(lost).toEqual([]);
    expect(shown.map(({ source }) => source)).toEqual(
      expect.arrayContaining(['README.md', 'docs/README.md', 'docs/start.md', 'docs/guides/dashboard.md']),
    );
  });

  it('stand in the sidebar, each once', () => {
    const { sidebar, nav } = buildNavigation(pages);
    const links = [...JSON.stringify(sidebar).matchAll(/"link":"([^"]+)"/g)].map(([, link]) => link!);
    expect([...links].sort()).toEqual([...byUrl.keys()].filter((url) => url !== '/').sort());
    expect(nav.filter(({ link }) => !byUrl.has(link))).toEqual([]);
  });

  it('without a place in the sidebar are refused', () => {
    const stray = { path: 'other/stray.md', text: '# Stray' };
    expect(() => buildNavigation([...pages, stray])).toThrow(/section of the sidebar for other\/stray/);
    expect(() => buildNavigation(pages.filter(({ path }) => path !== 'start.md'))).toThrow(/a page start/);
  });

  it('offer the files that they name', () => {
    expect([...files]).toContain('libs/webhook-signature/receivers/python/chainwatch_webhook.py');
  });
});

describe('the reference', () => {
  it.each(Object.values(PROBLEM_KINDS).map(({ path, title }) => [path, title]))(
    'has a page for the problem %s, where its type leads',
    (path, title) => {
      expect(textOf(path)).toMatch(new RegExp(`^# \\d{3} ${title}`));
      expect(textOf(path)).toContain('## What to do');
      expect(textOf('/reference/errors')).toContain(`(${path})`);
    },
  );

  it('has every operation once, with a sample in each language', () => {
    const api = pages.filter(({ path }) => path.startsWith('reference/api/'));
    const anchors = api.flatMap(({ text }) => listAnchors(text));
    const ids = Object.entries(operations)
      .filter(([, { path }]) => path.split('/')[1] !== 'channels')
      .map(([id]) => id);
    expect(ids.length).toBeGreaterThan(100);
    expect(ids.map((id) => [id, anchors.filter((one) => one === id).length])).toEqual(
      ids.map((id) => [id, 1]),
    );
    const blocks = api.flatMap(({ text }) => readCodeBlocks(text));
    for (const language of ['sh', 'ts', 'python', 'go'])
      expect([language, blocks.filter((block) => block.language === language).length]).toEqual([
        language,
        // And what they stand on.
        ids.length + 1,
      ]);
  });

  it('has every command', () => {
    const names = listCommands(readProgram()).map(nameOf);
    expect(names).toEqual(expect.arrayContaining(['chainwatch listen', 'chainwatch events tail']));
    expect(listAnchors(textOf('/reference/cli'))).toEqual(expect.arrayContaining(names.map(slugOf)));
  });

  it('shows no value that was not there', () => {
    for (const { path, text, source } of pages)
      if (source === undefined)
        expect([path, text]).toEqual([path, expect.not.stringMatching(/undefined|\[object|NaN/)]);
  });
});

describe('the reader of Markdown', () => {
  const page = [
    '# A `b` title',
    '',
    '[a](to/b.md) and ![a picture](to/p.png)',
    '```sh',
    '# no [link](to/c.md)',
    '```',
    '## A `b` title',
    '### own {#mine}',
  ].join('\n');

  it('sees links, pictures and anchors outside of code alone', () => {
    expect(listLinks(page)).toEqual([{ text: 'a', target: 'to/b.md' }]);
    expect(listImages(page)).toEqual([{ text: 'a picture', target: 'to/p.png' }]);
    expect(listAnchors(page)).toEqual(['a-b-title', 'a-b-title-1', 'mine']);
    expect(mapLinks(page, ({ text }) => text)).toContain('# no [link](to/c.md)');
  });

  it('finds what a block takes for granted, and where it stands', () => {
    const text = 'A line\n\n<!-- given:\nlet x: 1;\n-->\n```ts\nx;\n```\n\n````md\n```\n````\n';
    expect(readCodeBlocks(text)).toEqual([
      { language: 'ts', code: 'x;', line: 6, given: 'let x: 1;\n' },
      { language: 'md', code: '```', line: 10, given: '' },
    ]);
  });
});
