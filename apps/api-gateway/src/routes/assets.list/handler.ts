import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import {
  booleanParameter,
  listParameter,
  offsetOf,
  pageParameters,
  pageSchema,
  sortParameter,
  toPage,
} from '@chainwatch/http';
import { listProjectAssets } from '../../assets/list-project-assets.ts';
import { defineRoute } from '../../server/define-route.ts';
import { assetNamespaceSchema, assetSchema, assetStatusSchema, toAssetRecord } from '../../records/asset.ts';

export const listAssets = defineRoute({
  method: 'GET',
  path: '/assets',
  permission: 'api:asset:read',
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
  handle: async ({ query, principal }, { db }) => {
    const filters = {
      chains: query.chain_gids?.map(normalizeChainGid),
      namespaces: query.namespaces,
      statuses: query.statuses,
      isArchived: query.is_archived,
    };
    const { rows, total } = await listProjectAssets(db, {
      projectId: principal.projectId,
      filters,
      sortBy: query.sort_by,
      offset: offsetOf(query),
      limit: query.limit,
    });
    return { status: 200, body: toPage(rows.map(toAssetRecord), total, query) };
  },
});
