// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync } from 'node:fs';
import { chmod, chown, copyFile, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findPostgresAccount, repoDir, runCommand, type PostgresAccount } from '@chainwatch/testing/host';
import {
  startPostgresServer,
  startTcpProxy,
  takeBaseBackup,
  waitFor,
  type PostgresHandle,
  type PostgresServerHandle,
  type TcpProxy,
} from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';

/** A server that archives its WAL, behind an address that may be given to another one. */
export class ArchivedPostgres {
  #folder = '';
  #account: PostgresAccount | undefined;
  #own!: PostgresHandle;
  #address!: TcpProxy;
  #restored: PostgresServerHandle | undefined;

  /** As the services know it. */
  async open(): Promise<PostgresHandle> {
    this.#account = await findPostgresAccount();
    this.#folder = mkdtempSync(join(tmpdir(), 'chainwatch-archive-'));
    await chmod(this.#folder, 0o711);
    const wal = join(this.#folder, 'wal');
    await mkdir(wal);
    if (this.#account !== undefined) await chown(wal, this.#account.uid, this.#account.gid);
    this.#own = await startPostgres({
      isOwn: true,
      settings: ['archive_mode=on', `archive_command=cp %p ${wal}/%f`],
    });
    this.#address = await startTcpProxy(this.#own.server!.port);
    const url = at(this.#own.url, this.#address.port);
    return {
      ...this.#own,
      url,
      serviceEnv: { DATABASE_URL: url },
      stop: async () => {
        await this.#restored?.stop();
        await this.#own.stop();
        await this.#address.stop();
        await rm(this.#folder, { recursive: true, force: true });
      },
    };
  }

  /** The database that was left, at its own address. */
  get lostUrl(): string {
    return this.#own.url;
  }

  async backUp(): Promise<void> {
    const { url, dataDir } = this.#own.server!;
    await takeBaseBackup({ url, dataDir }, join(this.#folder, 'base'));
  }

  /** A moment to come back to. */
  nameMoment(name: string): Promise<void> {
    return this.#run('SELECT pg_create_restore_point($1)', [name]);
  }

  /** Until the archive has what was written so far. */
  async archiveAll(): Promise<void> {
    const client = await this.#connect();
    try {
      const { rows } = await client.query<{ name: string }>(
        'SELECT pg_walfile_name(pg_switch_wal()) AS name',
      );
      await waitFor(
        async () =>
          (
            await client.query('SELECT 1 FROM pg_stat_archiver WHERE last_archived_wal >= $1', [
              rows[0]!.name,
            ])
          ).rowCount === 1,
        { message: 'the last segment to be archived' },
      );
    } finally {
      await client.end();
    }
  }

  /** By the script that operators use; from then on the address is the restored server's. */
  async restore(moment: string): Promise<void> {
    const script = join(this.#folder, 'restore.sh');
    // The server's user may not reach the clone.
    await copyFile(join(repoDir, 'deploy/backup/restore.sh'), script);
    const password = new URL(this.#own.url).password;
    const write = async (dataDir: string): Promise<void> => {
      await mkdir(dataDir);
      if (this.#account !== undefined) await chown(dataDir, this.#account.uid, this.#account.gid);
      const { code, output } = await runCommand(
        'sh',
        [script, join(this.#folder, 'base'), join(this.#folder, 'wal'), dataDir, `name=${moment}`],
        { cwd: '/', account: this.#account },
      );
      if (code !== 0) throw new Error(output);
    };
    this.#restored = await startPostgresServer({ data: { password, write } });
    this.#address.setTargets([this.#restored.port]);
    this.#address.cut();
    this.#address.mend();
  }

  async #run(statement: string, values: readonly unknown[]): Promise<void> {
    const client = await this.#connect();
    await client.query(statement, [...values]).finally(() => client.end());
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.#own.url });
    await client.connect();
    return client;
  }
}

function at(url: string, port: number): string {
  const moved = new URL(url);
  moved.port = String(port);
  return moved.href;
}
