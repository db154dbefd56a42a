import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startGuard } from '@chainwatch/tool-stack/guard';
import { writePidFile } from '@chainwatch/tool-stack/pid-files';
import { preparePostgres } from '@chainwatch/tool-stack/postgres-server';
import { startProcess, type ManagedProcess } from '@chainwatch/tool-stack/managed-process';

const START_TIMEOUT_MS = 60_000;

/** One PostgreSQL for the whole run, on a free port, in a folder that goes with it; specs make a database each. */
export async function startTestPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'chainwatch-test-postgres-'));
  // The data folder inside belongs to the server's user, who has to get through this one.
  await chmod(dir, 0o711);
  const { spec, url } = await preparePostgres({
    port: await findFreePort(),
    dataDir: join(dir, 'data'),
    password: randomBytes(12).toString('hex'),
    isDurable: false,
  });
  const server = startProcess(spec, () => undefined);
  if (server.pid !== undefined)
    writePidFile(dir, 'postgres', { pid: server.pid, signal: 'SIGQUIT', identity: spec.identity });
  // Ends the server and removes the folder even when this run is killed.
  const callOffGuard = startGuard(dir, dir);
  const stop = async (): Promise<void> => {
    await server.stop();
    callOffGuard();
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(server, url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

async function waitUntilReady(server: ManagedProcess, url: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (!server.isRunning() || Date.now() > deadline)
        throw new Error(`PostgreSQL did not start:\n${server.lastLines().join('\n')}`, { cause: error });
      await delay(50);
    }
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
