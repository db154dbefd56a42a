// SPDX-License-Identifier: Apache-2.0
import { changeEndpoints, endpointParams, missingEndpoint } from '../../chains/change-endpoints.ts';
import { findChain } from '../../chains/find-chain.ts';
import { defineRoute } from '../../define-route.ts';

export const deleteEndpoint = defineRoute({
  method: 'DELETE',
  path: '/blockchains/:chain_gid/endpoints/:endpoint_id',
  permission: 'api:blockchain:write',
  summary: 'Remove a further node of a blockchain',
  params: endpointParams,
  responses: { 204: undefined },
  problems: [404],
  handle: async ({ params, principal, requestId }, deps) => {
    const { gid: chainGid } = await findChain(deps, params.chain_gid);
    const { endpoint_id: id } = params;
    await changeEndpoints(
      deps,
      { chainGid, author: { principal, requestId }, to: { endpoint_id: id, is_deleted: true } },
      async (sql) => {
        const { rowCount } = await sql.query('DELETE FROM chain_endpoints WHERE id = $1 AND chain_gid = $2', [
          id,
          chainGid,
        ]);
        if (rowCount === 0) throw missingEndpoint(chainGid, id);
      },
    );
    return { status: 204 };
  },
});
