import { existsSync } from 'node:fs';
import { chmod, chown, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { findPostgresAccount } from '@chainwatch/host';
import { spawnServer } from './child-servers.ts';
import { findFreePort } from './find-free-port.ts';
import { createTemporaryDirectory, removeDirectory } from './temporary-directory.ts';
import { waitForPort } from './wait-for-port.ts';

export interface PgBouncerHandle {
  /** The same database through it. */
  urlOf(databaseUrl: string): string;
  stop(): Promise<void>;
}

/** The program; undefined where the Debian package `pgbouncer` is not installed. */
export function findPgBouncer(): string | undefined {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => join(folder, 'pgbouncer'))
    .find((path) => existsSync(path));
}

export interface PgBouncerOptions {
  /** Sessions of the server for each database and role. Default 60. */
  readonly poolSize?: number;
}

/** A PgBouncer before this server, in transaction mode, configured as docs/guides/deploy.md says. */
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
      '[databases]',
      `* = host=${hostname} port=${serverPort}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = scram-sha-256',
      `auth_file = ${join(directory, 'users.txt')}`,
      'pool_mode = transaction',
      `default_pool_size = ${poolSize}`,
      'max_client_conn = 1000',
      // A database that was just restarted is tried again at once.
      'server_login_retry = 1',
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
