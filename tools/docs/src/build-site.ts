// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { repoDir } from '@chainwatch/testing/host';
import { build } from 'vitepress';
import { stageSite } from './stage-site.ts';

/** Kinds of files that shrink. */
const ZIPPED = new Set(['.html', '.js', '.css', '.json', '.svg']);

/**
 * Builds the site as the API gateway serves it. Two builds at once, into two folders, do not disturb each other.
 * @param outDir emptied first
 * @throws Error when a page leads to one that is not there, or cannot be rendered
 */
export async function buildSite(outDir: string): Promise<void> {
  const staged = join(repoDir, '.chainwatch/docs', `build-${process.pid}`);
  try {
    stageSite(staged);
    await build(staged, { outDir });
    zipFiles(outDir);
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/** `x.gz` beside `x`, so that the gateway compresses nothing. */
function zipFiles(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !ZIPPED.has(extname(path))) continue;
    const bytes = readFileSync(path);
    const zipped = gzipSync(bytes, { level: 9 });
    if (zipped.length < bytes.length) writeFileSync(`${path}.gz`, zipped);
  }
}
