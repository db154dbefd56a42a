// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** From now on new connections go to these ports in turn; open ones stay. */
  setTargets(ports: readonly number[]): void;
  /** Breaks every connection and refuses new ones. */
  cut(): void;
  /** Open connections pass nothing any more and stay open, as where packets are dropped. New ones pass. */
  freeze(): void;
  /** Lets connections through again. */
  mend(): void;
  stop(): Promise<void>;
}

/** Stands between clients and servers of this machine, so that a test can cut one client off, or balance the load. */
export async function startTcpProxy(...targetPorts: readonly number[]): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let targets = targetPorts;
  let turn = 0;
  let isCut = false;
  const server = createServer((client) => {
    if (isCut || targets.length === 0) return void client.destroy();
    const target = connect(targets[turn++ % targets.length]!, '127.0.0.1');
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on('error', () => undefined);
      socket.once('close', (isBroken) => {
        sockets.delete(socket);
        // What has come goes on to the other side first.
        if (isBroken) other.destroy();
        else other.destroySoon();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    setTargets: (ports) => void (targets = ports),
    cut() {
      isCut = true;
      breakAll();
    },
    freeze() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    mend: () => void (isCut = false),
    async stop() {
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
