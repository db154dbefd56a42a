// SPDX-License-Identifier: Apache-2.0
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian keeps servers in sbin, which an ordinary user's PATH leaves out; Homebrew's folders are missing in some shells. */
const EXTRA_DIRS = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

/** @param {string} name @param {NodeJS.ProcessEnv} env @returns {string | undefined} */
export function findExecutable(name, env) {
  for (const dir of [...(env.PATH ?? '').split(delimiter), ...EXTRA_DIRS]) {
    const file = join(dir, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}
