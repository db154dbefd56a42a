// SPDX-License-Identifier: Apache-2.0
import { counter, gauge } from '@chainwatch/platform/telemetry';
import type { ClientConnections } from './client-connections.ts';
import type { Tenants } from './tenants.ts';

const INTERVAL_MS = 2_000;

const held = gauge('chainwatch_rpc_held_bytes', {
  description:
    'Held for bodies, calls under way and answers that are not read: of the process, of the workspace and key that hold most, of strangers',
});
const refused = counter('chainwatch_rpc_full_total', {
  description: 'Requests refused because no more may be held, by what was full',
});
const connections = gauge('chainwatch_rpc_client_connections', {
  description: 'Open connections of clients',
});
const cut = counter('chainwatch_rpc_cut_connections_total', {
  description: 'Connections cut because the client took no byte',
});

/** Reports the memory held to the metrics at intervals. Returns stop. */
export function observeLimits(tenants: Tenants, clients: ClientConnections): () => void {
  const told = { ...tenants.refused };
  let toldCut = 0;
  const observe = (): void => {
    for (const [of, bytes] of Object.entries(tenants.figures())) held.set(bytes, { of });
    for (const full of ['connection', 'key', 'workspace', 'process'] as const) {
      if (tenants.refused[full] > told[full]) refused.add(tenants.refused[full] - told[full], { full });
      told[full] = tenants.refused[full];
    }
    connections.set(clients.size);
    if (clients.cut > toldCut) cut.add(clients.cut - toldCut);
    toldCut = clients.cut;
  };
  const timer = setInterval(observe, INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
