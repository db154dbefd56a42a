// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/common/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { listParameter, pageParameters, pageSchema, sortParameter } from '@chainwatch/platform/http';
import { listProjectAssets } from '../../assets/list-project-assets.ts';
import { defineRoute } from '../../define-route.ts';
import { assetNamespaceSchema } from '../../records/asset.ts';
import { baseOf, withLogo } from '../../records/logo.ts';
import { searchSchema } from '../../records/path-schemas.ts';
import { toTokenRecord, tokenSchema, tokenTypeSchema } from '../../records/token.ts';

/** Contracts that are not tokens are left out. */
const LISTED = ['active', 'unknown'] as const;

export const listTokens = defineRoute({
  method: 'GET',
  path: '/tokens',
  permission: 'api:token:read',
  reads: 'standby',
  summary:
    "Native coins and the project's tokens; archived ones and contracts that are no token are left out",
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['created_at', 'gid', 'name', 'symbol'], '-created_at'),
    chain_gids: listParameter(chainGidSchema),
    namespaces: listParameter(assetNamespaceSchema),
    type: tokenTypeSchema.optional().meta({ description: 'Only those of that type.' }),
    search: searchSchema,
  }),
  responses: { 200: pageSchema(tokenSchema) },
  handle: async ({ query, principal, origin }, deps) => {
    const filters = {
      chains: query.chain_gids?.map(normalizeChainGid),
      namespaces: query.namespaces,
      types: query.type && [query.type],
      statuses: LISTED,
      isArchived: false,
    };
    const { items, meta } = await listProjectAssets(deps, { principal, name: 'tokens', query, filters });
    const base = baseOf(origin, deps);
    return {
      status: 200,
      body: { items: items.map((item) => withLogo(toTokenRecord(item), base)), meta },
    };
  },
});
