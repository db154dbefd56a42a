import { z } from 'zod';
import { findChain } from '../../chains/find-chain.ts';
import { nodeSchema, toNodeRecord, type NodeReport } from '../../records/node.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { defineRoute } from '../../server/define-route.ts';

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
            'When the ingestor said so, which it does every 10 s. Null where nobody did for 30 s: then nothing is known of the nodes.',
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
    return {
      status: 200,
      body: { reported_at: row.nodes_at.toISOString(), items: row.nodes.map(toNodeRecord) },
    };
  },
});
