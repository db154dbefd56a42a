// SPDX-License-Identifier: Apache-2.0
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface KafkaProxy {
  /** `host:port` of each broker, as a client sees it. */
  readonly brokers: readonly string[];
  /** Breaks the open connections. `freeze`: they stay open for good, and pass nothing any more. */
  cut(how: 'close' | 'reset' | 'freeze'): void;
  stop(): Promise<void>;
}

/** Stands before the brokers of a cluster on this machine. What the cluster says of its ports is changed, so that clients stay. */
export async function startKafkaProxy(brokers: readonly string[]): Promise<KafkaProxy> {
  const targets = brokers.map((broker) => {
    const [host, port] = broker.split(':') as [string, string];
    return { host, port: Number(port) };
  });
  const pairs = new Set<readonly [Socket, Socket]>();
  const frozen = new Set<readonly [Socket, Socket]>();
  const servers = targets.map(({ host, port }) =>
    createServer((client) => {
      const target = connect({ host, port });
      const pair = [client, target] as const;
      pairs.add(pair);
      client.on('data', (bytes) => target.write(bytes));
      target.on('data', (bytes) => client.write(withOtherPorts(bytes)));
      for (const [socket, other] of [pair, [target, client]] as const)
        socket
          .on('error', () => undefined)
          .once('close', () => {
            pairs.delete(pair);
            other.destroySoon();
          });
    }),
  );
  await Promise.all(
    servers.map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  /** A host in Metadata is a string with two bytes of length; the port follows in four. */
  const withOtherPorts = (bytes: Buffer): Buffer => {
    for (const [index, { host, port }] of targets.entries()) {
      const known = Buffer.alloc(host.length + 6);
      known.writeUInt16BE(host.length);
      known.write(host, 2);
      known.writeUInt32BE(port, host.length + 2);
      for (let at = bytes.indexOf(known); at !== -1; at = bytes.indexOf(known, at + 1))
        bytes.writeUInt32BE(ports[index]!, at + host.length + 2);
    }
    return bytes;
  };
  return {
    brokers: ports.map((port) => `127.0.0.1:${port}`),
    cut(how) {
      for (const pair of pairs) {
        const [client] = pair;
        if (how === 'close') client.end();
        else if (how === 'reset') client.resetAndDestroy();
        else {
          for (const socket of pair) socket.removeAllListeners('data').pause();
          frozen.add(pair);
        }
      }
      for (const pair of frozen) pairs.delete(pair);
    },
    async stop() {
      for (const socket of [...pairs, ...frozen].flat()) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
