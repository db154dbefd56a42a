// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { preparePostgres, runCommand } from './host/index.ts';
import { spawnServer } from './child-servers.ts';
import { findFreePort } from './find-free-port.ts';
import { createTemporaryDirectory, removeDirectory } from './temporary-directory.ts';
import { waitFor } from './wait-for.ts';

export interface PostgresServerHandle {
  /** Of the maintenance database. */
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  /** Ends every process at once and without a checkpoint, as a crash does: the next start recovers from the log. */
  crash(): Promise<void>;
  /** Starts again on the same port and data; an orderly stop comes first when it runs. */
  restart(): Promise<void>;
  /** Sends a signal to every process of the server, or to those whose title matches: `walreceiver`, `startup`. */
  signal(signal: NodeJS.Signals, title?: RegExp): void;
  /** Makes a standby a server that takes writes. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresServerOptions {
  /** False skips the flushes to disk. Default true. */
  readonly isDurable?: boolean;
  /** Further settings, `name=value`. */
  readonly settings?: readonly string[];
  /** Data of another server instead of new ones, and the password that they were made with. */
  readonly data?: { readonly password: string; readonly write: (dataDir: string) => Promise<void> };
}

/** A PostgreSQL of its own in a temporary directory, on a free port of 127.0.0.1. */
export async function startPostgresServer({
  isDurable = true,
  settings = [],
  data,
}: PostgresServerOptions = {}): Promise<PostgresServerHandle> {
  const port = await findFreePort();
  const directory = createTemporaryDirectory('postgres');
  // The data directory inside belongs to the server's user, who has to get through this one.
  chmodSync(directory, 0o711);
  const dataDir = join(directory, 'data');
  await data?.write(dataDir);
  const password = data?.password ?? randomBytes(12).toString('hex');
  const { spec, url } = await preparePostgres({ port, dataDir, password, isDurable });
  const args = [...spec.args, ...settings.flatMap((setting) => ['-c', setting])];
  const start = async () => {
    const started = spawnServer(spec.command, args, {
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
    dataDir,
    crash: () => server.kill('SIGQUIT'),
    async restart() {
      await server.kill('SIGINT');
      server = await start();
    },
    signal(signal, title) {
      for (const pid of findProcesses(server.child.pid!, title)) process.kill(pid, signal);
    },
    async promote() {
      const control = join(dirname(spec.command), 'pg_ctl');
      const { code, output } = await runCommand(control, ['promote', '-D', dataDir, '-w'], {
        cwd: '/',
        account: spec.account,
      });
      if (code !== 0) throw new Error(`expected a promotion, got ${output}`);
    },
    async stop() {
      if (server.isRunning()) process.kill(server.child.pid!, 'SIGCONT');
      await server.kill('SIGQUIT');
      await removeDirectory(directory);
    },
  };
}

/** The process itself and its children, or those of them whose titles match. */
function findProcesses(parent: number, title = /(?:)/): number[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .filter(([, pid, ppid, args]) => (Number(pid) === parent || Number(ppid) === parent) && title.test(args!))
    .map(([, pid]) => Number(pid));
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
