// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { findChain } from '../../chains/find-chain.ts';
import { endpointSchema, toEndpointRecord, type EndpointRow } from '../../records/endpoint.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { defineRoute } from '../../define-route.ts';

export const listEndpoints = defineRoute({
  method: 'GET',
  path: '/blockchains/:chain_gid/endpoints',
  // Nodes are the operator's: no other workspace may learn which ones it has.
  permission: 'api:blockchain:write',
  summary: 'Further nodes of a blockchain',
  params: chainParams,
  responses: {
    200: z.object({
      items: z
        .array(endpointSchema)
        .meta({ description: 'At most 20, those with the greatest weight first.' }),
    }),
  },
  handle: async ({ params }, deps) => {
    const { gid } = await findChain(deps, params.chain_gid);
    const { rows } = await deps.db.query<EndpointRow>(
      `SELECT id, chain_gid, url_shown, weight, created_at, updated_at FROM chain_endpoints
       WHERE chain_gid = $1 ORDER BY weight DESC, created_at, id`,
      [gid],
    );
    return { status: 200, body: { items: rows.map(toEndpointRecord) } };
  },
});
