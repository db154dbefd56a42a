import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findExecutable, repoDir } from '@chainwatch/host';

const run = promisify(execFile);
const toolsDir = join(repoDir, '.chainwatch', 'tools');

/**
 * A program that specs ask and nothing else needs: from PATH, or on Debian out of its package, which is unpacked in the
 * clone's own folder and installed nowhere. Undefined where there is neither; specs then say that they are skipped.
 */
export async function findDebianTool(binary: string, debianPackage: string): Promise<string | undefined> {
  const unpacked = join(toolsDir, debianPackage, 'usr/bin', binary);
  const found = findExecutable(binary, process.env) ?? (existsSync(unpacked) ? unpacked : undefined);
  if (found !== undefined) return found;
  try {
    await unpack(debianPackage);
    return unpacked;
  } catch (error) {
    console.log(
      `skipped: ${binary} was not found (Debian: ${debianPackage}; ${String(error).split('\n', 1)[0]})`,
    );
    return undefined;
  }
}

async function unpack(debianPackage: string): Promise<void> {
  mkdirSync(toolsDir, { recursive: true });
  const folder = mkdtempSync(join(toolsDir, '.partial-'));
  try {
    const download = () => run('apt-get', ['download', '-qq', debianPackage], { cwd: folder });
    // The lists of a fresh container image are empty or old.
    await download().catch(() => run('apt-get', ['update', '-qq']).then(download));
    const [archive = ''] = readdirSync(folder);
    await run('dpkg-deb', ['-x', archive, 'root'], { cwd: folder });
    if (!existsSync(join(toolsDir, debianPackage)))
      renameSync(join(folder, 'root'), join(toolsDir, debianPackage));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
