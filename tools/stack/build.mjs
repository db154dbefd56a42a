// SPDX-License-Identifier: Apache-2.0
/** `npm run build [-- folder]`: bundles what an image holds into dist/, or into the folder named. */
import { resolve } from 'node:path';
import { buildRelease } from './bundle.mjs';
import { generatePrismaClient } from './generate-prisma-client.mjs';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';
import { exitWith, UsageError } from '../../libs/testing/src/host/setup-error.mjs';

const [folder, ...others] = process.argv.slice(2);
const stray = folder?.startsWith('-') || folder === '' ? folder : others[0];
if (stray !== undefined)
  exitWith(new UsageError(`expected one folder, got ${stray || 'nothing'}: npm run build -- [folder]`));
const outdir = resolve(folder ?? `${repoDir}/dist`);
try {
  await generatePrismaClient();
  await buildRelease(outdir);
  process.stdout.write(`Built ${outdir}\n`);
} catch (error) {
  exitWith(error);
}
