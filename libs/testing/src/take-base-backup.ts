// SPDX-License-Identifier: Apache-2.0
import { chmod, chown, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { findPostgresAccount } from './host/index.ts';

/** What a backup leaves out: logs, which are archived or streamed, and what belongs to the running process. */
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts']);
const EMPTIED = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_subtrans',
]);

/**
 * Copies the data of a running server, as pg_basebackup does it: that program is not among the binaries that npm brings.
 * The copy needs the log from the backup's start on, from an archive or from the server itself.
 * @param files what the copy has besides, or instead, by name
 */
export async function takeBaseBackup(
  server: { readonly url: string; readonly dataDir: string },
  target: string,
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  const account = await findPostgresAccount();
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query(`SELECT pg_backup_start('base backup', true)`);
    await copyFolder(server.dataDir, target, '');
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()');
    for (const [name, text] of Object.entries({ ...files, backup_label: rows[0]!.labelfile }))
      await writeFile(join(target, name), text);
  } finally {
    await client.end();
  }
  await mkdir(join(target, 'pg_wal', 'archive_status'), { recursive: true });
  await giveTo(target, account);
  await chmod(target, 0o700);
}

async function copyFolder(from: string, to: string, path: string): Promise<void> {
  await mkdir(join(to, path), { recursive: true });
  for (const entry of await readdir(join(from, path), { withFileTypes: true }).catch(ignoreGone)) {
    const name = join(path, entry.name);
    if (LEFT_OUT.has(name)) continue;
    if (!entry.isDirectory()) await copyFile(join(from, name), join(to, name)).catch(ignoreGone);
    else if (EMPTIED.has(name)) await mkdir(join(to, name), { recursive: true });
    else await copyFolder(from, to, name);
  }
}

/** A file that went away meanwhile is dealt with by the log. */
function ignoreGone(error: NodeJS.ErrnoException): never[] {
  if (error.code !== 'ENOENT') throw error;
  return [];
}

async function giveTo(folder: string, account: { uid: number; gid: number } | undefined): Promise<void> {
  if (account === undefined) return;
  const paths = await readdir(folder, { recursive: true });
  for (const path of ['', ...paths]) await chown(join(folder, path), account.uid, account.gid);
}
