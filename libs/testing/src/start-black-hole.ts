// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect } from 'node:net';
import { spawnServer } from './child-servers.ts';

export interface BlackHole {
  stop(): Promise<void>;
}

/**
 * An address of this machine that answers no connection, as one behind a dead route: a stopped process listens there, and
 * its queue is full.
 */
export async function startBlackHole({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): Promise<BlackHole> {
  const script = `require('net').createServer().listen({ host: '${host}', port: ${port}, backlog: 1 }, () => console.log('listens'))`;
  const { child, kill } = spawnServer(process.execPath, ['-e', script]);
  await once(child.stdout!, 'data');
  child.kill('SIGSTOP');
  // Linux queues one more than it was told.
  const fillers = [1, 2, 3, 4].map(() => connect({ host, port }).on('error', () => undefined));
  await Promise.all(fillers.slice(0, 2).map((socket) => once(socket, 'connect')));
  return {
    async stop() {
      for (const socket of fillers) socket.destroy();
      await kill('SIGKILL');
    },
  };
}
