// SPDX-License-Identifier: Apache-2.0
import { findFreePort } from './find-free-port.ts';
import { startNats, type NatsHandle } from './start-nats.ts';

export interface NatsCluster {
  /** All of them, commas between. */
  readonly url: string;
  readonly servers: readonly NatsHandle[];
  stop(): Promise<void>;
}

/** Three servers that keep streams together. */
export async function startNatsCluster(): Promise<NatsCluster> {
  const names = ['one', 'two', 'three'];
  const ports = await Promise.all(names.map(() => findFreePort()));
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`);
  const servers = await Promise.all(
    names.map((name, index) =>
      startNats({
        args: ['-n', name, '-cluster_name', 'spec', '-cluster', routes[index]!, '-routes', routes.join(',')],
      }),
    ),
  );
  return {
    url: servers.map(({ url }) => url).join(','),
    servers,
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}
