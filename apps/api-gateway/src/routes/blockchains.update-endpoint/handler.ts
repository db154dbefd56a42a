// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import {
  type FamilyManifest,
  endpointContext,
  type ChainEndpoint,
  type NodeInterface,
} from '@chainwatch/chain-core';
import { listFamilies } from '@chainwatch/chain-registry';
import { booleanParameter } from '@chainwatch/platform/http';
import { unprocessableEntity } from '@chainwatch/common/problem';
import { announceChain } from '../../chains/announce-chain.ts';
import { defineRoute, type ApiRoute } from '../../define-route.ts';
import { findChain, loadFamily } from '../../chains/find-chain.ts';
import { recordChange } from '../../management/record-change.ts';
import {
  BLOCKCHAIN_INCLUDE,
  blockchainSchema,
  toBlockchainRecord,
  unprovedSchema,
} from '../../records/blockchain.ts';
import { baseOf, withLogo } from '../../records/logo.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { verifyEndpoint } from './verify-endpoint.ts';
import type { Sql } from '@chainwatch/data/db';
import type { ApiDeps } from '../../api-deps.ts';

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

interface NewSettings {
  readonly gid: string;
  readonly given: readonly ChainEndpoint[];
  readonly unproved: ChainSettings['unproved'];
}

/**
 * Stores what is given and leaves the rest. Returns the former setting. `updated_at` changes with a node only: services
 * have time to report again then (`describeSync`).
 */
async function storeSettings(
  sql: Sql,
  { gid, given, unproved }: NewSettings,
  sealer: Pick<ApiDeps['sealer'], 'seal'>,
): Promise<{ readonly unproved: string }> {
  const { endpointSealed, others } = sealGiven(given, gid, sealer);
  const { rows } = await sql.query<{ unproved: string }>(
    `UPDATE blockchains b SET endpoint_sealed = coalesce($2, b.endpoint_sealed), other_endpoints_sealed = b.other_endpoints_sealed || $3::jsonb,
       unproved = coalesce($4, b.unproved), updated_at = CASE WHEN $5 THEN now() ELSE b.updated_at END
     FROM (SELECT gid, unproved FROM blockchains WHERE gid = $1 FOR UPDATE) before
     WHERE b.gid = before.gid RETURNING before.unproved`,
    [gid, endpointSealed ?? null, JSON.stringify(others), unproved ?? null, given.length > 0],
  );
  return rows[0]!;
}

function sealGiven(
  given: readonly ChainEndpoint[],
  gid: string,
  sealer: Pick<ApiDeps['sealer'], 'seal'>,
): { endpointSealed?: string; others: Record<string, string> } {
  const others = given.flatMap(({ endpointUrl, interfaceName }) =>
    interfaceName === undefined
      ? []
      : [[interfaceName, sealer.seal(endpointUrl, endpointContext(gid, interfaceName))] as const],
  );
  const first = given.find(({ interfaceName }) => interfaceName === undefined);
  return {
    ...(first && { endpointSealed: sealer.seal(first.endpointUrl, endpointContext(gid)) }),
    others: Object.fromEntries(others),
  };
}

/** One member for each interface of the family's nodes, and the chain's settings. */
type ChainSettings = Readonly<Record<string, string | undefined>> & {
  readonly unproved?: z.infer<typeof unprovedSchema>;
};

/** No single member is required: a node may serve one interface only (decisions.md 1.5), and a setting needs no node. */
function bodyOf(family: FamilyManifest): z.ZodType<ChainSettings, ChainSettings> {
  const urls = family.interfaces.map((each) => [memberOf(family, each), urlOf(each).optional()] as const);
  const members = [...urls.map(([member]) => member).toReversed(), 'unproved'];
  return z
    .strictObject({ ...Object.fromEntries(urls), unproved: unprovedSchema.optional() })
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      path: members.slice(0, 1),
      error: `expected at least one of ${members.join(', ')}`,
    });
}

/** A node of every interface. */
function exampleOf(family: FamilyManifest): ChainSettings {
  return Object.fromEntries(family.interfaces.map((each) => [memberOf(family, each), each.exampleUrl]));
}

/** The endpoints that a body names; the URL of the first interface has no interface name. */
function listGiven(family: FamilyManifest, body: ChainSettings): ChainEndpoint[] {
  return family.interfaces.flatMap((each, index) => {
    const endpointUrl = body[memberOf(family, each)];
    if (endpointUrl === undefined) return [];
    return [index === 0 ? { endpointUrl } : { endpointUrl, interfaceName: each.name }];
  });
}

function memberOf({ interfaces }: Pick<FamilyManifest, 'interfaces'>, { name }: NodeInterface): string {
  return name === interfaces[0].name ? 'endpoint_url' : `${name}_endpoint_url`;
}

function urlOf({ description, exampleUrl }: NodeInterface): z.ZodType<string, string> {
  return z
    .url({
      protocol: /^(https?|wss?)$/,
      error: 'expected a URL that begins with https:, http:, wss: or ws:',
    })
    .max(2_048)
    .meta({ description: `URL of the ${description} of the node. Write-only.`, examples: [exampleUrl] });
}
