// SPDX-License-Identifier: Apache-2.0
/**
 * `npm test`: checks, types, unit and service specs, through Nx; `npm run e2e`: proofs over the whole service. With
 * arguments (`npm test -- libs/common -t pattern`) Jest alone.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';
import { exitWith } from '../../libs/testing/src/host/setup-error.mjs';
import { prepareServers } from './prepare-servers.mjs';

try {
  const PATH = await prepareServers();
  const isE2e = process.argv[2] === '--e2e';
  const args = process.argv.slice(isE2e ? 3 : 2);
  const [script, ...more] = args.length > 0 ? ['main.ts', ...args] : ['run-lane.ts', isE2e ? 'e2e' : 'test'];
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(repoDir, 'tools/test/src', /** @type {string} */ (script)), ...more],
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
