// SPDX-License-Identifier: Apache-2.0
import type { GatewayClients } from './gateway-clients.ts';

interface Truth {
  /** Of the project, in the order of their positions. */
  readonly eventIds: readonly string[];
  /** What the writer's record holds. */
  readonly written: string;
}

/** What clients met that the guides do not promise, in words. */
export function findClientFaults(clients: GatewayClients, { eventIds, written }: Truth): string[] {
  const { http, readers, sockets, lastWritten } = clients;
  const faults = [
    ...http.flatMap((client) => client.faults),
    ...readers.flatMap((reader) => reader.refusals),
    ...(sockets?.faults ?? []),
    ...(sockets?.codes ?? []).filter((code) => code !== 1012).map((code) => `a socket ended with ${code}`),
  ];
  if (http.some(({ answers }) => answers === 0)) faults.push('a client was never answered');
  for (const reader of readers)
    if (JSON.stringify(reader.eventIds) !== JSON.stringify(eventIds))
      faults.push(`a reader got ${reader.eventIds.length} of ${eventIds.length} events, or another order`);
  if (lastWritten !== undefined && lastWritten() !== written)
    faults.push(`expected ${lastWritten()}, which was answered, got ${written}`);
  return faults;
}
