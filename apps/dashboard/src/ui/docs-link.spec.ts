// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const sources = join(import.meta.dirname, '..');
const docs = join(sources, '../../../docs');
const texts = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.tsx'))
  .map((path) => readFileSync(join(sources, path), 'utf8'));
const pages = new Set(
  texts
    .flatMap((text) => [...text.matchAll(/<DocsLink page="([^"]+)"|\bdocs="([^"]+)"/g)])
    .map(([, page, ofEmpty]) => page ?? ofEmpty!),
);

it('leads to pages that the documentation has', () => {
  expect(pages.size).toBeGreaterThan(5);
  expect([...pages].filter((page) => !existsSync(join(docs, `${page}.md`)))).toEqual([]);
});
