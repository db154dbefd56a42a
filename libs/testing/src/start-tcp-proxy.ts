import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Breaks every connection and refuses new ones. */
  cut(): void;
  /** Lets connections through again. */
  mend(): void;
  stop(): Promise<void>;
}

/** Stands between a client and a server of this machine, so that a test can cut one client off. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const target = connect(targetPort, '127.0.0.1');
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
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
    cut() {
      isCut = true;
      breakAll();
    },
    mend: () => void (isCut = false),
    async stop() {
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
