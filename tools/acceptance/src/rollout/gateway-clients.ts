// SPDX-License-Identifier: Apache-2.0
import { startListener, startPoller, type EventReader } from '../faults/event-readers.ts';
import { followHeads, type HeadFollower } from './follow-heads.ts';
import { KeepAliveClient } from './keep-alive-client.ts';

interface Entrance {
  /** Behind the balancer. */
  readonly url: string;
  readonly key: string;
}

const CLIENTS = 4;
const PAUSE_MS = 20;
/** Between two requests on a connection that is kept; shorter than a gateway drains. */
const LONG_PAUSE_MS = 2_000;
const MEMBERS = { 'content-type': 'application/json' };

/** Everybody who talks to the gateways while their replicas are replaced. None of them asks twice. */
export interface GatewayClients {
  readonly http: readonly KeepAliveClient[];
  readonly readers: readonly EventReader[];
  readonly sockets: HeadFollower | undefined;
  /** What the API was last asked to write, one write after the other, each answered. */
  readonly lastWritten?: () => string;
  stop(): Promise<void>;
}

/** @param channelUrl a channel of the project `writer` that may be renamed */
export function startApiClients(reader: Entrance, writer: Entrance, channelId: string): GatewayClients {
  let written = 0;
  const read = { method: 'GET', headers: { 'x-api-key': reader.key } };
  const rename = new KeepAliveClient(() => {
    written += 1;
    return {
      url: `${writer.url}/notification_channels/webhook/${channelId}`,
      method: 'PATCH',
      headers: { ...MEMBERS, 'x-api-key': writer.key },
      body: JSON.stringify({ name: `name ${written}` }),
    };
  }, PAUSE_MS);
  const paths = ['/blockchains', '/transactions?limit=5', '/addresses?limit=5'];
  const http = [
    rename,
    ...Array.from({ length: CLIENTS }, (_, index) => {
      const path = paths[index % paths.length];
      return new KeepAliveClient(() => ({ ...read, url: `${reader.url}${path}` }), PAUSE_MS);
    }),
    new KeepAliveClient(() => ({ ...read, url: `${reader.url}/version` }), LONG_PAUSE_MS),
  ];
  const source = { apiUrl: reader.url, key: reader.key };
  return gather({
    http,
    readers: [startPoller(source), startListener(source)],
    sockets: undefined,
    lastWritten: () => `name ${written}`,
  });
}

export function startRpcClients({ url, key }: Entrance): GatewayClients {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}';
  const call = { url, method: 'POST', headers: { ...MEMBERS, 'x-api-key': key }, body };
  const pauses = [...Array.from({ length: CLIENTS }, () => PAUSE_MS), LONG_PAUSE_MS];
  return gather({
    http: pauses.map((pauseMs) => new KeepAliveClient(() => call, pauseMs)),
    readers: [],
    sockets: followHeads(url.replace('http', 'ws'), key),
  });
}

function gather(clients: Omit<GatewayClients, 'stop'>): GatewayClients {
  return {
    ...clients,
    async stop() {
      const { http, readers, sockets } = clients;
      await Promise.all(
        [...http, ...readers, ...(sockets === undefined ? [] : [sockets])].map((one) => one.stop()),
      );
    },
  };
}
