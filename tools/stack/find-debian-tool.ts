// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findExecutable, repoDir } from '@chainwatch/testing/host';

const run = promisify(execFile);
const toolsDir = join(repoDir, '.chainwatch', 'tools');

/**
 * A program that specs ask and nothing else needs: from PATH, or on Debian out of its package, which is unpacked in the
 * clone's own folder and installed nowhere. Undefined where there is neither; specs then say that they are skipped.
 */
export async function findDebianTool(binary: string, debianPackage: string): Promise<string | undefined> {
  const found = findExecutable(binary, process.env);
  if (found !== undefined) return found;
  const folder = await findDebianFiles(debianPackage);
  return folder === undefined ? undefined : join(folder, 'usr/bin', binary);
}

/** The folder where these packages are unpacked together, as `usr/lib/…`; undefined where they are not to be had. */
export async function findDebianFiles(...packages: readonly string[]): Promise<string | undefined> {
  const folder = join(toolsDir, packages.join('+'));
  try {
    if (!existsSync(folder)) await unpack(packages, folder);
    return folder;
  } catch (error) {
    console.log(
      `skipped: expected Debian's ${packages.join(', ')}, got none (${String(error).split('\n', 1)[0]})`,
    );
    return undefined;
  }
}

async function unpack(packages: readonly string[], folder: string): Promise<void> {
  mkdirSync(toolsDir, { recursive: true });
  const partial = mkdtempSync(join(toolsDir, '.partial-'));
  try {
    const download = () => run('apt-get', ['download', '-qq', ...packages], { cwd: partial });
    // The lists of a fresh container image are empty or old.
    await download().catch(() => run('apt-get', ['update', '-qq']).then(download));
    for (const archive of readdirSync(partial))
      await run('dpkg-deb', ['-x', archive, 'root'], { cwd: partial });
    if (!existsSync(folder)) renameSync(join(partial, 'root'), folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}
