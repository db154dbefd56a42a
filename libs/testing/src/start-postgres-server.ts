import { randomBytes } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { preparePostgres } from '@chainwatch/host';
import { spawnServer } from './child-servers.ts';
import { findFreePort } from './find-free-port.ts';
import { createTemporaryDirectory, removeDirectory } from './temporary-directory.ts';
import { waitFor } from './wait-for.ts';

export interface PostgresServerHandle {
  /** Of the maintenance database. */
  readonly url: string;
  readonly port: number;
  /** Ends every process at once and without a checkpoint, as a crash does: the next start recovers from the log. */
  crash(): Promise<void>;
  /** Starts again on the same port and data; an orderly stop comes first when it runs. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A PostgreSQL of its own in a temporary directory, on a free port of 127.0.0.1. */
export async function startPostgresServer(
  options: { readonly isDurable?: boolean } = {},
): Promise<PostgresServerHandle> {
  const port = await findFreePort();
  const directory = createTemporaryDirectory('postgres');
  // The data directory inside belongs to the server's user, who has to get through this one.
  chmodSync(directory, 0o711);
  const { spec, url } = await preparePostgres({
    port,
    dataDir: join(directory, 'data'),
    password: randomBytes(12).toString('hex'),
    isDurable: options.isDurable ?? true,
  });
  const start = async () => {
    const started = spawnServer(spec.command, spec.args, {
      cwd: '/',
      ...spec.account,
      endSignal: 'QUIT',
      directory,
    });
    await waitFor(() => !started.isRunning() || canConnect(url), {
      message: () => `PostgreSQL on port ${port}; it wrote: ${started.output()}`,
    });
    if (!started.isRunning()) throw new Error(`PostgreSQL ended at once: ${started.output()}`);
    return started;
  };
  let server = await start();
  return {
    url,
    port,
    crash: () => server.kill('SIGQUIT'),
    async restart() {
      await server.kill('SIGINT');
      server = await start();
    },
    async stop() {
      await server.kill('SIGQUIT');
      await removeDirectory(directory);
    },
  };
}

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
