// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { changeEndpoints, endpointParams, findEndpoint } from '../../chains/change-endpoints.ts';
import { findChain } from '../../chains/find-chain.ts';
import { endpointSchema, toEndpointRecord, weightSchema } from '../../records/endpoint.ts';
import { defineRoute } from '../../define-route.ts';

export const updateEndpoint = defineRoute({
  method: 'PATCH',
  path: '/blockchains/:chain_gid/endpoints/:endpoint_id',
  permission: 'api:blockchain:write',
  summary: 'Change the weight of a further node of a blockchain',
  params: endpointParams,
  body: z.strictObject({ weight: weightSchema }),
  example: { weight: 2 },
  responses: { 200: endpointSchema },
  problems: [404],
  handle: async ({ params, body: { weight }, principal, requestId }, deps) => {
    const { gid: chainGid } = await findChain(deps, params.chain_gid);
    const { endpoint_id: id } = params;
    const row = await changeEndpoints(
      deps,
      { chainGid, author: { principal, requestId }, to: { endpoint_id: id, weight } },
      async (sql) => {
        await sql.query(
          'UPDATE chain_endpoints SET weight = $3, updated_at = now() WHERE id = $1 AND chain_gid = $2',
          [id, chainGid, weight],
        );
        return findEndpoint(sql, chainGid, id);
      },
    );
    return { status: 200, body: toEndpointRecord(row) };
  },
});
