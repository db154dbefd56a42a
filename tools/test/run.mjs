// SPDX-License-Identifier: Apache-2.0
/** `npm test`: everything, through Nx; `npm test -- libs/common/src/caip -t pattern`: Jest alone with these arguments. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';
import { exitWith } from '../../libs/testing/src/host/setup-error.mjs';
import { prepareServers } from './prepare-servers.mjs';

try {
  const PATH = await prepareServers();
  const args = process.argv.slice(2);
  const script = args.length === 0 ? 'run-everything.ts' : 'main.ts';
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(repoDir, 'tools/test/src', script), ...args],
    {
      cwd: repoDir,
      stdio: 'inherit',
      env: { ...process.env, PATH },
    },
  );
  // The child hears Ctrl-C itself and stops its servers; this process waits for it.
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => signal !== 'SIGINT' && child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 1));
} catch (error) {
  exitWith(error);
}
