// SPDX-License-Identifier: Apache-2.0
import { createServer } from 'node:net';
import { SetupError } from '@chainwatch/testing/host';
import type { LocalNode } from '../../devnet/local-node.ts';
import { services } from '../services.mjs';

/** Those that the stack itself speaks to. */
type GatewayName = 'api-gateway' | 'rpc-proxy';

type PortName =
  | GatewayName
  | 'demo receiver'
  | 'playground'
  | 'postgres'
  | 'nats'
  | 'nats monitoring'
  | 'redis';
export type Ports = Readonly<Record<PortName, number>>;

/** The servers' ports are not the usual ones, so that a PostgreSQL, NATS or Redis of the machine is not in the way. */
const BASE: Ports = {
  ...(Object.fromEntries(
    services.flatMap(({ name, localPort }) => (localPort === undefined ? [] : [[name, localPort]])),
  ) as Record<GatewayName, number>),
  'demo receiver': 9890,
  playground: 9891,
  postgres: 15_432,
  nats: 14_222,
  'nats monitoring': 18_222,
  redis: 16_379,
};
const HEALTH_BASE = 9_101;
/** Ports from 1024 on that browsers and Node's fetch refuse (Fetch standard, "port blocking"). */
const BLOCKED = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10_080,
]);

export function assignPorts(offset: number): Ports {
  return addOffset(BASE, offset);
}

export function addOffset<Name extends string>(
  ports: Readonly<Record<Name, number>>,
  offset: number,
): Readonly<Record<Name, number>> {
  const moved = Object.entries<number>(ports).map(([name, port]) => [name, port + offset]);
  return Object.fromEntries(moved) as Record<Name, number>;
}

/** Of a node that somebody else runs. */
export function findNodeUrl({ urlVariable }: LocalNode): string | undefined {
  return urlVariable === undefined ? undefined : process.env[urlVariable] || undefined;
}

/** Health and metrics of the n-th service. */
export function healthPort(offset: number, index: number): number {
  return HEALTH_BASE + offset + index;
}

/** @throws SetupError that names the ports somebody listens on */
export async function assertPortsFree(ports: ReadonlyMap<string, number>): Promise<void> {
  const blocked = [...ports].find(([, port]) => BLOCKED.has(port));
  if (blocked)
    throw new SetupError(
      `Port ${blocked[1]} (${blocked[0]}) is one that browsers and fetch refuse: choose another --port-offset.`,
    );
  const taken = await Promise.all(
    [...ports].map(async ([name, port]) => ((await isFree(port)) ? undefined : `${port} (${name})`)),
  );
  const busy = taken.filter((text) => text !== undefined);
  if (busy.length === 0) return;
  throw new SetupError(
    `Port ${busy.join(', ')} is in use: stop what listens there, or move everything with npm start -- --port-offset 100.`,
  );
}

/** Loopback and every interface: a listener on either is in the way. */
async function isFree(port: number): Promise<boolean> {
  return (await canListen(port, '127.0.0.1')) && (await canListen(port));
}

function canListen(port: number, host?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
