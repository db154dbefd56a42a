// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { listPages } from './list-pages.ts';
import { countWords } from './spec-support/count-words.ts';

const PAGE_WORDS_MAX = 1_500;
const ALL_WORDS_MAX = 50_000;

/** Pages that users read: not for contributors, not generated, not records. */
const OTHERS = [
  /^docs\/(adr|rules|reference)\//,
  /^docs\/(architecture|flow)\.md$/,
  // Written from the catalogue of networks.
  /^docs\/networks\.md$/,
  // A record: one row for each measurement, renewed by the benches.
  /^docs\/benchmarks\.md$/,
];

const pages = listPages()
  .pages.flatMap(({ source }) => (source === undefined ? [] : [source]))
  .filter((source) => source === 'README.md' || source.startsWith('docs/'))
  .filter((source) => OTHERS.every((pattern) => !pattern.test(source)))
  .map((source) => ({ source, words: countWords(readFileSync(join(repoDir, source), 'utf8')) }));

describe('pages for users', () => {
  it(`have at most ${PAGE_WORDS_MAX} words each: split by task, or cut`, () => {
    expect(pages.length).toBeGreaterThan(70);
    expect(pages.filter(({ words }) => words > PAGE_WORDS_MAX)).toEqual([]);
  });

  it(`have at most ${ALL_WORDS_MAX} words together`, () => {
    expect(pages.reduce((sum, { words }) => sum + words, 0)).toBeLessThanOrEqual(ALL_WORDS_MAX);
  });
});

describe('words of a page', () => {
  it('are what is read: not blocks of code, comments, targets of links, rules of tables', () => {
    const text = [
      '# Two words',
      '<!-- given:\nlet x = 1;\n-->',
      '```ts\nconst a = b;\n```',
      '| a | b |\n|---|---|\n| `code` counts | [link](to/some/page.md#with-anchor) |',
      '- one, two — three',
    ].join('\n');
    expect(countWords(text)).toBe(10);
  });

  it('are counted beyond the bound', () => {
    expect(countWords('word '.repeat(PAGE_WORDS_MAX + 1))).toBe(PAGE_WORDS_MAX + 1);
  });
});
