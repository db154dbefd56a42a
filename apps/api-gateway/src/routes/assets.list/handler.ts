// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/common/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import {
  booleanParameter,
  listParameter,
  pageParameters,
  pageSchema,
  sortParameter,
} from '@chainwatch/platform/http';
import { listProjectAssets } from '../../assets/list-project-assets.ts';
import { defineRoute } from '../../define-route.ts';
import { assetNamespaceSchema, assetSchema, assetStatusSchema, toAssetRecord } from '../../records/asset.ts';

export const listAssets = defineRoute({
  method: 'GET',
  path: '/assets',
  permission: 'api:asset:read',
  reads: 'standby',
  summary:
    'Native coins, and what the project created or discovered on its addresses; archived ones only with is_archived=true',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['gid', 'namespace', 'reference', 'status', 'created_at'], '-created_at'),
    chain_gids: listParameter(chainGidSchema),
    namespaces: listParameter(assetNamespaceSchema),
    statuses: listParameter(assetStatusSchema),
    is_archived: booleanParameter.default(false),
  }),
  responses: { 200: pageSchema(assetSchema) },
  handle: async ({ query, principal }, deps) => {
    const filters = {
      chains: query.chain_gids?.map(normalizeChainGid),
      namespaces: query.namespaces,
      statuses: query.statuses,
      isArchived: query.is_archived,
    };
    const { items, meta } = await listProjectAssets(deps, { principal, name: 'assets', query, filters });
    return { status: 200, body: { items: items.map(toAssetRecord), meta } };
  },
});
