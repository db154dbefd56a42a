// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';

/**
 * What is built from these files and folders is the same while the hash is. Specs, packages and what was built are left out.
 *
 * @param {readonly string[]} paths within the repository
 * @returns {string} 16 hexadecimal digits
 */
export function hashFiles(paths) {
  const hash = createHash('sha256');
  const visit = (/** @type {string} */ path) => {
    const stats = statSync(path);
    if (stats.isDirectory()) {
      for (const name of readdirSync(path).sort())
        if (name !== 'node_modules' && name !== 'dist') visit(join(path, name));
    } else if (!path.endsWith('.spec.ts')) {
      hash.update(relative(repoDir, path)).update('\0').update(readFileSync(path)).update('\0');
    }
  };
  for (const path of paths) visit(join(repoDir, path));
  return hash.digest('hex').slice(0, 16);
}
