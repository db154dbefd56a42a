import { z } from 'zod';
import {
  endpointContext,
  type ChainEndpoint,
  type FamilyManifest,
  type NodeInterface,
} from '@chainwatch/chain-core';
import { listFamilies } from '@chainwatch/chain-registry';
import { booleanParameter } from '@chainwatch/http';
import { unprocessableEntity } from '@chainwatch/problem';
import { announceChain } from '../../chains/announce-chain.ts';
import type { ApiDeps } from '../../server/api-deps.ts';
import { defineRoute, type ApiRoute } from '../../server/define-route.ts';
import { findChain, loadFamily } from '../../chains/find-chain.ts';
import { recordChange } from '../../management/record-change.ts';
import { BLOCKCHAIN_INCLUDE, blockchainSchema, toBlockchainRecord } from '../../records/blockchain.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { verifyEndpoint } from './verify-endpoint.ts';

/** One member for each interface of the family's nodes. */
type EndpointBody = Readonly<Record<string, string | undefined>>;

/** `PATCH /blockchains/{chain_gid}/<family>` for each family, by its operation id. */
export const updateEndpointRoutes: Readonly<Record<string, ApiRoute>> = Object.fromEntries(
  listFamilies().map((family) => [
    `update${family.name.charAt(0).toUpperCase()}${family.name.slice(1)}Endpoint`,
    endpointRoute(family),
  ]),
);

function memberOf({ interfaces }: Pick<FamilyManifest, 'interfaces'>, { name }: NodeInterface): string {
  return name === interfaces[0].name ? 'endpoint_url' : `${name}_endpoint_url`;
}

/** No single member is required, because a node may serve one interface only (decisions.md 1.5). */
function bodyOf(family: FamilyManifest): z.ZodType<EndpointBody, EndpointBody> {
  const urls = family.interfaces.map((each) => [memberOf(family, each), urlOf(each)] as const);
  if (urls.length === 1) return z.strictObject(Object.fromEntries(urls));
  const members = urls.map(([member]) => member);
  return z
    .strictObject(Object.fromEntries(urls.map(([member, url]) => [member, url.optional()])))
    .refine((body) => members.some((member) => body[member] !== undefined), {
      path: members.slice(-1),
      error: `expected ${members.toReversed().join(', ')} or ${members.length === 2 ? 'both' : 'several of them'}`,
    });
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

/** The endpoints that a body names; the URL of the first interface has no interface name. */
function listGiven(family: FamilyManifest, body: EndpointBody): ChainEndpoint[] {
  return family.interfaces.flatMap((each, index) => {
    const endpointUrl = body[memberOf(family, each)];
    if (endpointUrl === undefined) return [];
    return [index === 0 ? { endpointUrl } : { endpointUrl, interfaceName: each.name }];
  });
}

function endpointRoute(manifest: FamilyManifest): ApiRoute {
  const { name: familyName } = manifest;
  return defineRoute({
    method: 'PATCH',
    path: `/blockchains/:chain_gid/${familyName}`,
    permission: 'api:blockchain:write',
    summary: `Set the node of a blockchain of the family ${familyName}`,
    params: chainParams,
    query: z.strictObject({
      verify: booleanParameter
        .default(true)
        .meta({ description: 'Ask the node first which chain it serves; 422 where it is another one.' }),
    }),
    body: bodyOf(manifest),
    example: Object.fromEntries(
      manifest.interfaces.map((each) => [memberOf(manifest, each), each.exampleUrl]),
    ),
    responses: { 200: blockchainSchema },
    problems: [422, 502],
    handle: async ({ params, query, body, principal, requestId, signal }, deps) => {
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
      await deps.db.transaction(async (sql) => {
        const { endpointSealed, others } = sealGiven(given, chain, deps.sealer);
        await sql.query(
          `UPDATE blockchains SET endpoint_sealed = coalesce($2, endpoint_sealed), other_endpoints_sealed = other_endpoints_sealed || $3::jsonb, updated_at = now()
           WHERE gid = $1`,
          [chain.gid, endpointSealed ?? null, JSON.stringify(others)],
        );
        // Never the URL, which may hold a secret.
        const to = { chain_gid: chain.gid, members: Object.keys(body) };
        await recordChange(
          sql,
          { principal, requestId },
          { action: 'workspace.endpoint_updated', targetId: principal.workspaceId, to },
        );
      });
      const row = await deps.prisma.blockchain.findUniqueOrThrow({
        where: { gid: chain.gid },
        include: BLOCKCHAIN_INCLUDE,
      });
      announceChain(deps, chain.gid);
      return { status: 200, body: toBlockchainRecord(row) };
    },
  });
}

function sealGiven(
  given: readonly ChainEndpoint[],
  { gid }: { readonly gid: string },
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
