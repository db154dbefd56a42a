// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';
import { runCommand } from '../../libs/testing/src/host/run-command.mjs';
import { SetupError } from '../../libs/testing/src/host/setup-error.mjs';

/**
 * Builds the pages that the API gateway serves. A process of its own: which React is bundled depends on the environment.
 *
 * @param {string} outdir
 * @throws {SetupError} with Vite's messages when a source does not compile
 */
export async function buildDashboard(outdir) {
  const vite = join(repoDir, 'node_modules/vite/bin/vite.js');
  const { code, output } = await runCommand(
    process.execPath,
    [vite, 'build', '--logLevel', 'warn', '--emptyOutDir', '--outDir', outdir],
    {
      cwd: join(repoDir, 'apps/dashboard'),
      env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' },
    },
  );
  if (code !== 0)
    throw new SetupError('The dashboard could not be built: correct the sources named above.', output);
}
