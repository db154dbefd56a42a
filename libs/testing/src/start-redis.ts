import { spawnServer } from './child-servers.ts';
import { findFreePort } from './find-free-port.ts';
import { createTemporaryDirectory, removeDirectory } from './temporary-directory.ts';
import { waitForPort } from './wait-for-port.ts';

export interface RedisHandle {
  readonly url: string;
  readonly port: number;
  kill9(): Promise<void>;
  /** Starts again, empty, on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A redis-server without persistence on a free port of 127.0.0.1. */
export async function startRedis(
  options: { readonly port?: number; readonly args?: readonly string[] } = {},
): Promise<RedisHandle> {
  const port = options.port ?? (await findFreePort());
  const directory = createTemporaryDirectory('redis');
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    directory,
    ...(options.args ?? []),
  ];
  const start = async () => {
    const started = spawnServer('redis-server', args, { directory });
    await waitForPort(started, port);
    return started;
  };
  let server = await start();
  const kill9 = (): Promise<void> => server.kill('SIGKILL');
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    kill9,
    async restart() {
      await kill9();
      server = await start();
    },
    async stop() {
      await kill9();
      await removeDirectory(directory);
    },
  };
}
