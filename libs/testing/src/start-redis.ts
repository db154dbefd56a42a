// SPDX-License-Identifier: Apache-2.0
import { spawnServer, startRestartable, type RestartableServer } from './child-servers.ts';
import { findFreePort } from './find-free-port.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import { waitForPort } from './wait-for-port.ts';

export interface RedisHandle extends RestartableServer {
  readonly url: string;
  readonly port: number;
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
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    ...(await startRestartable(start, directory)),
  };
}
