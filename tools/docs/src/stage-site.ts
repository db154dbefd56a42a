// SPDX-License-Identifier: Apache-2.0
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { listPages } from './list-pages.ts';
import { buildNavigation } from './navigation.ts';

/** Always offered, whether a page leads there or not. */
const OFFERED = ['docs/asyncapi.json'];

/** Writes a project of VitePress into a folder inside the repository, whose packages it then finds. */
export function stageSite(folder: string): void {
  const { pages, files } = listPages();
  for (const { path, text } of pages) write(join(folder, path), `${text.trimEnd()}\n`);
  for (const file of new Set([...files, ...OFFERED])) {
    const target = join(folder, 'public/files', file);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(repoDir, file), target);
  }
  const site = join(repoDir, 'tools/docs/site');
  write(
    join(folder, '.vitepress/config.ts'),
    `import { createConfig } from ${JSON.stringify(join(site, 'create-config.ts'))};\n` +
      `export default createConfig(${JSON.stringify(buildNavigation(pages))});\n`,
  );
  cpSync(join(repoDir, 'apps/dashboard/public/icon.svg'), join(folder, 'public/icon.svg'));
  cpSync(join(site, 'theme'), join(folder, '.vitepress/theme'), { recursive: true });
}

/** What is there already is not written again, so that a watching server sees only what changed. */
function write(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
