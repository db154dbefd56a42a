// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The clone's root, whatever folder the command was run in; found upwards, since this file is also part of the bundle. */
export const repoDir = findRepo(dirname(fileURLToPath(import.meta.url)));

/** State of the local stack; git-ignored. A spec names a folder of its own inside the clone. */
export const stateDir = join(repoDir, process.env.CHAINWATCH_STATE_DIR || '.chainwatch');

/** Bundles are named after their sources and shared by every stack of the clone. */
export const distDir = join(repoDir, '.chainwatch', 'dist');

/** @param {string} dir @returns {string} */
function findRepo(dir) {
  if (existsSync(join(dir, 'nx.json')) || dir === dirname(dir)) return dir;
  return findRepo(dirname(dir));
}

/** The commit that is checked out; `unknown` outside of a git checkout. */
export function readCommit() {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: repoDir, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'unknown';
}
