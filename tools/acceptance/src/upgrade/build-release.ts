// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repoDir } from '@chainwatch/testing/host';

const run = promisify(execFile);

/**
 * The bundles of an earlier commit, built from a clone with the dependencies of its own lock. They are kept in the temporary
 * folder for the next call: the first one takes minutes.
 * @returns the folder that holds `<service>.mjs` and `migrate.mjs`
 */
export async function buildRelease(commit: string): Promise<string> {
  const dist = join(tmpdir(), `chainwatch-release-${commit}`);
  if (existsSync(dist)) return dist;
  const folder = mkdtempSync(join(tmpdir(), 'chainwatch-release-clone-'));
  const clone = join(folder, 'clone');
  const built = join(folder, 'dist');
  const env = { ...process.env, NODE_OPTIONS: '', PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' };
  const call = (command: string, args: readonly string[], cwd: string): Promise<unknown> =>
    run(command, [...args], { cwd, env, maxBuffer: 64 * 1_024 * 1_024 });
  try {
    await call('git', ['clone', '--quiet', '--no-checkout', repoDir, clone], folder);
    await call('git', ['checkout', '--quiet', commit], clone);
    await call('npm', ['ci', '--no-audit', '--no-fund'], clone);
    await call('npm', ['run', 'build', '--', built], clone);
    renameSync(built, dist);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return dist;
}
