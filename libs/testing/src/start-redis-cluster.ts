// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findFreePort } from './find-free-port.ts';
import { startRedis, type RedisHandle } from './start-redis.ts';
import { waitFor } from './wait-for.ts';

const run = promisify(execFile);

export interface RedisCluster {
  /** As REDIS_URL has it. */
  readonly url: string;
  /** Three masters, each with a third of the slots. */
  readonly servers: readonly RedisHandle[];
  stop(): Promise<void>;
}

export async function startRedisCluster(): Promise<RedisCluster> {
  const servers = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const [port, busPort] = [await findFreePort(), await findFreePort()];
      return startRedis({
        port,
        args: [
          '--cluster-enabled',
          'yes',
          '--cluster-port',
          String(busPort),
          '--cluster-node-timeout',
          '1000',
        ],
      });
    }),
  );
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`);
  await run('redis-cli', ['--cluster', 'create', ...hosts, '--cluster-yes']);
  const isJoined = async (port: number): Promise<boolean> =>
    (await run('redis-cli', ['-p', String(port), 'cluster', 'info'])).stdout.includes('cluster_state:ok');
  for (const { port } of servers) await waitFor(() => isJoined(port));
  return {
    url: `redis+cluster://${hosts.join(',')}`,
    servers,
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}
