// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { FamilyManifest } from '@chainwatch/chain-core';
import { listFamilies } from '@chainwatch/chain-registry';
import { booleanParameter } from '@chainwatch/http';
import { unprocessableEntity } from '@chainwatch/problem';
import { announceChain } from '../../chains/announce-chain.ts';
import { defineRoute, type ApiRoute } from '../../server/define-route.ts';
import { findChain, loadFamily } from '../../chains/find-chain.ts';
import { recordChange } from '../../management/record-change.ts';
import { BLOCKCHAIN_INCLUDE, blockchainSchema, toBlockchainRecord } from '../../records/blockchain.ts';
import { baseOf, withLogo } from '../../records/logo.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { bodyOf, exampleOf, listGiven } from './chain-settings-body.ts';
import { storeSettings } from './store-settings.ts';
import { verifyEndpoint } from './verify-endpoint.ts';

/** `PATCH /blockchains/{chain_gid}/<family>` for each family, by its operation id. */
export const updateEndpointRoutes: Readonly<Record<string, ApiRoute>> = Object.fromEntries(
  listFamilies().map((family) => [
    `update${family.name.charAt(0).toUpperCase()}${family.name.slice(1)}Endpoint`,
    endpointRoute(family),
  ]),
);

function endpointRoute(manifest: FamilyManifest): ApiRoute {
  const { name: familyName } = manifest;
  return defineRoute({
    method: 'PATCH',
    path: `/blockchains/:chain_gid/${familyName}`,
    permission: 'api:blockchain:write',
    summary: `Set the node and the settings of a blockchain of the family ${familyName}`,
    params: chainParams,
    query: z.strictObject({
      verify: booleanParameter
        .default(true)
        .meta({ description: 'Ask the node first which chain it serves; 422 where it is another one.' }),
    }),
    body: bodyOf(manifest),
    example: exampleOf(manifest),
    responses: { 200: blockchainSchema },
    problems: [422, 502],
    handle: async ({ params, query, body, principal, requestId, origin, signal }, deps) => {
      const chain = await findChain(deps, params.chain_gid);
      if (chain.family !== familyName) {
        throw unprocessableEntity(
          `The blockchain ${chain.gid} is of the family ${chain.family}, not ${familyName}.`,
        );
      }
      const { network, family } = await loadFamily(chain.gid);
      const given = listGiven(manifest, body);
      for (const endpoint of given)
        await verifyEndpoint({ network, family, endpoint, askNode: query.verify, signal }, deps);
      const { unproved } = body;
      await deps.db.transaction(async (sql) => {
        const before = await storeSettings(sql, { gid: chain.gid, given, unproved }, deps.sealer);
        // Never the URL, which may hold a secret.
        const to = { chain_gid: chain.gid, members: Object.keys(body), unproved };
        await recordChange(
          sql,
          { principal, requestId },
          {
            action: 'workspace.endpoint_updated',
            targetId: principal.workspaceId,
            from: unproved === undefined ? undefined : { unproved: before.unproved },
            to,
          },
        );
      });
      const row = await deps.prisma.blockchain.findUniqueOrThrow({
        where: { gid: chain.gid },
        include: BLOCKCHAIN_INCLUDE,
      });
      announceChain(deps, chain.gid);
      return { status: 200, body: withLogo(toBlockchainRecord(row), baseOf(origin, deps)) };
    },
  });
}
