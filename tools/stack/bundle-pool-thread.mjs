// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';

/**
 * What tinypool starts as a thread, from beside the chunk that holds tinypool: `entry/worker.js`. It is CommonJS, whatever the
 * package around it says.
 *
 * @param {string} outdir the folder of the bundle
 */
export async function bundlePoolThread(outdir) {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: repoDir,
    entryPoints: ['node_modules/tinypool/dist/entry/worker.js'],
    outfile: join(outdir, 'entry/worker.js'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
  });
  writeFileSync(join(outdir, 'entry/package.json'), '{ "type": "commonjs" }\n');
}
