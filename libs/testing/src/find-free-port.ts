// SPDX-License-Identifier: Apache-2.0
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that systems give to connections, one of which could take the port before it is listened on. */
const [FIRST, PORTS] = [20_000, 12_000];
let taken = randomInt(PORTS);

/**
 * A port that nobody listens on and that no other process of the run is given while this one lives: the UDP port of
 * the same number stays bound, which the system ends with the process. A server may be killed and come back on it.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (taken++ % PORTS);
    const reservation = createSocket({ type: 'udp4' });
    const isReserved = settles(reservation, 'listening');
    reservation.bind({ port, address: '127.0.0.1', exclusive: true });
    if (!(await isReserved)) continue;
    reservation.unref();
    const server = createServer();
    const isFree = settles(server, 'listening');
    server.listen(port);
    if (!(await isFree)) {
      reservation.close();
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Whether it came; false where the port is taken. @throws any other error */
async function settles(emitter: NodeJS.EventEmitter, event: string): Promise<boolean> {
  try {
    await once(emitter, event);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return false;
  }
}
