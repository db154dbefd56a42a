// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { spawnServer } from './child-servers.ts';
import { findFreePort } from './find-free-port.ts';
import { startRedis, type RedisHandle } from './start-redis.ts';
import { createTemporaryDirectory, removeDirectory } from './temporary-directory.ts';
import { waitFor } from './wait-for.ts';
import { waitForPort } from './wait-for-port.ts';

const run = promisify(execFile);
const MASTER = 'main';

export interface RedisSentinel {
  /** As REDIS_URL has it. */
  readonly url: string;
  readonly master: RedisHandle;
  readonly replica: RedisHandle;
  /** The port of the server that the sentinel names as the master. */
  findMasterPort(): Promise<number>;
  stop(): Promise<void>;
}

/** A master, its replica, and a sentinel that makes the replica the master half a second after the master died. */
export async function startRedisSentinel(): Promise<RedisSentinel> {
  const master = await startRedis();
  const replica = await startRedis({ args: ['--replicaof', '127.0.0.1', String(master.port)] });
  const port = await findFreePort();
  const directory = createTemporaryDirectory('sentinel');
  const file = join(directory, 'sentinel.conf');
  writeFileSync(
    file,
    [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${directory}`,
      `sentinel monitor ${MASTER} 127.0.0.1 ${master.port} 1`,
      `sentinel down-after-milliseconds ${MASTER} 500`,
      `sentinel failover-timeout ${MASTER} 3000`,
    ].join('\n'),
  );
  const sentinel = spawnServer('redis-server', [file, '--sentinel'], { directory });
  await waitForPort(sentinel, port);
  const ask = async (...args: string[]): Promise<string> =>
    (await run('redis-cli', ['-p', String(port), 'sentinel', ...args])).stdout;
  // It learns of the replica from the master, and only a replica that it knows can take over.
  await waitFor(async () => {
    const [state, { stdout }] = await Promise.all([
      ask('replicas', MASTER),
      run('redis-cli', ['-p', String(replica.port), 'info', 'replication']),
    ]);
    return state.includes(String(replica.port)) && stdout.includes('master_link_status:up');
  });
  return {
    url: `redis+sentinel://127.0.0.1:${port}/${MASTER}`,
    master,
    replica,
    findMasterPort: async () =>
      Number((await ask('get-master-addr-by-name', MASTER)).trim().split('\n').at(-1)),
    async stop() {
      await sentinel.kill('SIGKILL');
      await Promise.all([master.stop(), replica.stop()]);
      await removeDirectory(directory);
    },
  };
}
