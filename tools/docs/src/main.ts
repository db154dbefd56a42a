// SPDX-License-Identifier: Apache-2.0
/** `npm run docs` serves the documentation while you write it; `npm run docs -- build <folder>` builds it. */
import { resolve } from 'node:path';
import { exitWith, UsageError } from '@chainwatch/testing/host';
import { generatePrismaClient } from '../../stack/generate-prisma-client.mjs';

const [command = 'serve', folder = 'dist/docs', ...others] = process.argv.slice(2);
if (
  (command !== 'serve' && command !== 'build') ||
  folder === '' ||
  folder.startsWith('-') ||
  others.length > 0
)
  exitWith(new UsageError('expected nothing, or build and a folder: npm run docs -- build <folder>'));
// The API is described by its routes, which import it.
await generatePrismaClient();
if (command === 'build') {
  const { buildSite } = await import('./build-site.ts');
  await buildSite(resolve(folder));
} else {
  const { serveSite } = await import('./serve-site.ts');
  await serveSite();
}
