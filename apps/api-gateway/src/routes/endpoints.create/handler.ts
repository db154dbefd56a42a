// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { moreEndpointContext, parseEndpoint } from '@chainwatch/chain-core';
import { booleanParameter } from '@chainwatch/platform/http';
import { conflict } from '@chainwatch/common/problem';
import { changeEndpoints, findEndpoint } from '../../chains/change-endpoints.ts';
import { findChain, loadFamily } from '../../chains/find-chain.ts';
import { endpointSchema, endpointUrlSchema, toEndpointRecord, weightSchema } from '../../records/endpoint.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { defineRoute } from '../../define-route.ts';
import { verifyEndpoint } from '../blockchains.update-endpoint/verify-endpoint.ts';

const ENDPOINTS_MAX = 20;

export const createEndpoint = defineRoute({
  method: 'POST',
  path: '/blockchains/:chain_gid/endpoints',
  permission: 'api:blockchain:write',
  summary: 'Add a further node of a blockchain',
  params: chainParams,
  query: z.strictObject({
    verify: booleanParameter
      .default(true)
      .meta({ description: 'Ask the node first which chain it serves; 422 where it is another one.' }),
  }),
  body: z.strictObject({ endpoint_url: endpointUrlSchema, weight: weightSchema.default(1) }),
  example: { endpoint_url: 'https://user:password@node-2.example.com:8545', weight: 1 },
  responses: { 201: endpointSchema },
  problems: [404, 409, 422, 502],
  handle: async ({ params, query, body, principal, requestId, signal }, deps) => {
    const { gid: chainGid } = await findChain(deps, params.chain_gid);
    const { network, family } = await loadFamily(chainGid);
    const { endpoint_url: endpointUrl, weight } = body;
    await verifyEndpoint({ network, family, endpoint: { endpointUrl }, askNode: query.verify, signal }, deps);
    const id = randomUUID();
    const shown = parseEndpoint(endpointUrl).label;
    const to = { endpoint_id: id, url: shown, weight };
    const row = await changeEndpoints(
      deps,
      { chainGid, author: { principal, requestId }, to },
      async (sql) => {
        const { rowCount } = await sql.query(
          `INSERT INTO chain_endpoints (id, chain_gid, url_sealed, url_shown, weight)
           SELECT $1, $2, $3, $4, $5 WHERE (SELECT count(*) FROM chain_endpoints WHERE chain_gid = $2) < ${ENDPOINTS_MAX}`,
          [id, chainGid, deps.sealer.seal(endpointUrl, moreEndpointContext(id)), shown, weight],
        );
        if (rowCount === 0)
          throw conflict(`The blockchain ${chainGid} has ${ENDPOINTS_MAX} further endpoints, the maximum.`);
        return findEndpoint(sql, chainGid, id);
      },
    );
    return {
      status: 201,
      body: toEndpointRecord(row),
      location: `/blockchains/${chainGid}/endpoints/${id}`,
    };
  },
});
