/** `npm run build [-- folder]`: bundles what an image holds into dist/, or into the folder named. */
import { resolve } from 'node:path';
import { buildRelease } from './bundle.mjs';
import { generatePrismaClient } from './generate-prisma-client.mjs';
import { repoDir } from '../../libs/host/src/repo.mjs';
import { exitWith } from '../../libs/host/src/setup-error.mjs';

const outdir = resolve(process.argv[2] ?? `${repoDir}/dist`);
try {
  await generatePrismaClient();
  await buildRelease(outdir);
  process.stdout.write(`Built ${outdir}\n`);
} catch (error) {
  exitWith(error);
}
