// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Sql } from '@chainwatch/data/db';
import { findChain } from '../../chains/find-chain.ts';
import { nodeSchema, toNodeRecord, type NodeHealth, type NodeReport } from '../../records/node.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { defineRoute } from '../../define-route.ts';

interface Row {
  readonly nodes: readonly NodeReport[];
  readonly nodes_at: Date;
}

export const listNodes = defineRoute({
  method: 'GET',
  path: '/blockchains/:chain_gid/nodes',
  // Which nodes an installation has is for those who set them: everybody else shares its chains.
  permission: 'api:blockchain:write',
  summary: 'How the nodes are that a blockchain is read from, as the block ingestor found them',
  params: chainParams,
  responses: {
    200: z.object({
      reported_at: z.iso
        .datetime()
        .nullable()
        .meta({
          description:
            'Time of the last report by the ingestor, which reports every 10 s. Null after 30 s without a report: the state of the nodes is then unknown.',
          examples: ['2026-01-01T00:00:00.000Z'],
        }),
      items: z.array(nodeSchema).meta({ description: 'In the order of preference.' }),
    }),
  },
  handle: async ({ params }, deps) => {
    const { gid } = await findChain(deps, params.chain_gid);
    const { rows } = await deps.db.query<Row>(
      `SELECT nodes, nodes_at FROM ingestor_states WHERE chain_gid = $1 AND nodes_at > now() - interval '30 seconds'`,
      [gid],
    );
    const [row] = rows;
    if (row === undefined) return { status: 200, body: { reported_at: null, items: [] } };
    const history = await readHistory(deps.db, gid);
    const items = row.nodes.map((node) => toNodeRecord(node, history.get(node.url) ?? []));
    return { status: 200, body: { reported_at: row.nodes_at.toISOString(), items } };
  },
});

interface HealthRow {
  readonly url: string;
  readonly at: Date;
  readonly samples: number;
  readonly failures: number;
  readonly latency_ms: number | null;
}

/** The last 24 hours of each node, by its URL. */
async function readHistory(sql: Sql, gid: string): Promise<Map<string, NodeHealth[]>> {
  const { rows } = await sql.query<HealthRow>(
    `SELECT url, at, samples, failures, round((latency_ms_sum / nullif(latencies, 0))::numeric, 1)::float8 AS latency_ms
     FROM chain_node_health WHERE chain_gid = $1 AND at > now() - interval '24 hours' ORDER BY at`,
    [gid],
  );
  const byUrl = new Map<string, NodeHealth[]>();
  for (const { url, at, ...counts } of rows)
    byUrl.set(url, [...(byUrl.get(url) ?? []), { at: at.toISOString(), ...counts }]);
  return byUrl;
}
