// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPostgresAccount, repoDir } from './host/index.ts';
import { spawnServer } from './child-servers.ts';
import { findFreePort } from './find-free-port.ts';
import { findProgram } from './find-program.ts';
import { createTemporaryDirectory, removeDirectory } from './temporary-directory.ts';
import { waitForPort } from './wait-for-port.ts';

export interface PgBouncerHandle {
  /** The same database through it. */
  urlOf(databaseUrl: string): string;
  stop(): Promise<void>;
}

/** The program; undefined where the Debian package `pgbouncer` is not installed. */
export function findPgBouncer(): string | undefined {
  return findProgram('pgbouncer');
}

export interface PgBouncerOptions {
  /** Sessions of the server for each database and role. Default 60. */
  readonly poolSize?: number;
}

/** A PgBouncer before this server, in transaction mode, configured as in deploy/kubernetes/addons/pgbouncer. */
export async function startPgBouncer(
  serverUrl: string,
  { poolSize = 60 }: PgBouncerOptions = {},
): Promise<PgBouncerHandle> {
  const program = findPgBouncer();
  if (program === undefined)
    throw new Error('PgBouncer was not found: install it, such as apt-get install pgbouncer.');
  const { hostname, port: serverPort, username, password } = new URL(serverUrl);
  const port = await findFreePort();
  const directory = createTemporaryDirectory('pgbouncer');
  const account = await findPostgresAccount();
  const files = {
    'users.txt': `"${username}" "${password}"\n`,
    'pgbouncer.ini': [
      readConfiguration(program),
      `max_db_connections = ${poolSize}`,
      `default_pool_size = ${poolSize}`,
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      `auth_file = ${join(directory, 'users.txt')}`,
      // A database that was just restarted is tried again at once.
      'server_login_retry = 1',
      '[databases]',
      `* = host=${hostname} port=${serverPort}`,
      '',
    ].join('\n'),
  };
  await chmod(directory, 0o711);
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(directory, name), text, { mode: 0o600 });
    // It does not run as root.
    if (account !== undefined) await chown(join(directory, name), account.uid, account.gid);
  }
  const server = spawnServer(program, [join(directory, 'pgbouncer.ini')], {
    cwd: '/',
    ...account,
    directory,
  });
  await waitForPort(server, port);
  return {
    urlOf(databaseUrl) {
      const url = new URL(databaseUrl);
      url.host = `127.0.0.1:${port}`;
      return url.href;
    },
    async stop() {
      await server.kill('SIGKILL');
      await removeDirectory(directory);
    },
  };
}

/** The addon's, without what this release of PgBouncer does not know. Values that come later replace it. */
function readConfiguration(program: string): string {
  const text = readFileSync(join(repoDir, 'deploy/kubernetes/addons/pgbouncer/pgbouncer.ini'), 'utf8');
  const [, major = 1, minor = 0] =
    /(\d+)\.(\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' })) ?? [];
  return Number(major) > 1 || Number(minor) >= 21 ? text : text.replace(/^max_prepared_statements.*$/m, '');
}
