// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROBLEM_KINDS } from '@chainwatch/common/problem';
import { bundleDocs } from '../../stack/bundle-docs.mjs';
import { listPages } from './list-pages.ts';

describe('the site as it is built', () => {
  let folder: string;
  let names: string[];
  beforeAll(async () => {
    folder = await bundleDocs();
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  });
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const listHtml = (): string[] => names.filter((name) => name.endsWith('.html'));

  it('has every page, those to which the types of problems lead, and one for what is not there', () => {
    const expected = [
      ...listPages().pages.map(({ path }) => path.replace(/\.md$/, '.html')),
      ...Object.values(PROBLEM_KINDS).map(({ path }) => `${path.slice(1)}.html`),
      '404.html',
    ];
    expect(expected.filter((name) => !names.includes(name))).toEqual([]);
  });

  it('has the calculator where its page names it, and other text in brackets as text', () => {
    expect(read('guides/growth.html')).toMatch(/<form class="growth">.*Deposits a second, on average/s);
    expect(read('guides/operations.html')).toContain('&lt;chain_gid&gt;');
  });

  it('needs nothing inline and nobody else', () => {
    for (const name of listHtml()) {
      const html = read(name);
      const faults = [
        ...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>|<style|\sstyle="|\son[a-z]+="|javascript:/g),
        ...html.matchAll(/<(?:script|link|img|iframe)\b[^>]*\s(?:src|href)="(?!\/docs\/)[^"]*"/g),
      ].map(([fault]) => fault);
      expect([name, faults]).toEqual([name, []]);
    }
    for (const name of names.filter((one) => one.endsWith('.css')))
      expect([name, read(name)]).toEqual([name, expect.not.stringMatching(/@import|url\(["']?https?:/)]);
  });

  it('leads to files that are there', () => {
    const lost = listHtml().flatMap((name) =>
      [...read(name).matchAll(/<(?:script|link|img)\b[^>]*\s(?:src|href)="\/docs\/([^"]*)"/g)]
        .map(([, path]) => path!)
        .filter((path) => !existsSync(join(folder, path)))
        .map((path) => `${name}: ${path}`),
    );
    expect(lost).toEqual([]);
  });

  it('can be searched, and looked at in the dark', () => {
    const search = names.find((name) => /^assets\/chunks\/@localSearchIndex.*\.js$/.test(name));
    expect(read(search!)).toContain('Exchange deposits');
    const css = names.filter((name) => name.endsWith('.css')).map(read);
    expect(css.join('\n')).toMatch(/\.dark/);
    expect(css.join('\n')).toMatch(/\.vp-code \.c-[0-9a-f]{8}\{--shiki-light:#\w+;--shiki-dark:#\w+/);
  });

  it('has what shrinks beside itself, smaller', () => {
    for (const name of listHtml()) expect([name, names.includes(`${name}.gz`)]).toEqual([name, true]);
  });
});
