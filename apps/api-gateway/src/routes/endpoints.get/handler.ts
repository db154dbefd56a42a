// SPDX-License-Identifier: Apache-2.0
import { endpointParams, findEndpoint } from '../../chains/change-endpoints.ts';
import { findChain } from '../../chains/find-chain.ts';
import { endpointSchema, toEndpointRecord } from '../../records/endpoint.ts';
import { defineRoute } from '../../define-route.ts';

export const getEndpoint = defineRoute({
  method: 'GET',
  path: '/blockchains/:chain_gid/endpoints/:endpoint_id',
  permission: 'api:blockchain:write',
  summary: 'A further node of a blockchain',
  params: endpointParams,
  responses: { 200: endpointSchema },
  handle: async ({ params }, deps) => {
    const { gid } = await findChain(deps, params.chain_gid);
    return { status: 200, body: toEndpointRecord(await findEndpoint(deps.db, gid, params.endpoint_id)) };
  },
});
