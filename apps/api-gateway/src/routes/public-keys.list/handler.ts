// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/common/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { listParameter, pageParameters, pageSchema, sortParameter } from '@chainwatch/platform/http';
import { defineRoute } from '../../define-route.ts';
import { readPublicKeys } from '../../public-keys/read-public-keys.ts';
import { searchSchema } from '../../records/path-schemas.ts';
import { publicKeySchema } from '../../records/public-key.ts';
import { toListOrder } from '../../lists/list-order.ts';
import { inOrder, readList } from '../../lists/read-list.ts';
import type { AddValue } from '../../lists/build-conditions.ts';
import { containsIn } from '../../lists/search-rows.ts';

const ORDERS = {
  created_at: { name: 'created_at', type: 'timestamptz' },
  label: { name: 'label', type: 'text', isNullable: true },
} as const;

export const listPublicKeys = defineRoute({
  method: 'GET',
  path: '/public_keys',
  permission: 'api:public_key:read',
  reads: 'standby',
  summary: 'Extended public keys of the project',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['created_at', 'label'], '-created_at'),
    chain_gids: listParameter(chainGidSchema),
    search: searchSchema,
  }),
  responses: { 200: pageSchema(publicKeySchema) },
  handle: async ({ query, principal }, deps) => {
    const list = {
      from: 'public_keys',
      id: 'id',
      wanted: {
        project_id: [principal.projectId],
        chain_gid: query.chain_gids?.map(normalizeChainGid),
      },
      matches: (add: AddValue) =>
        query.search === undefined
          ? []
          : [containsIn(['label', 'fingerprint', 'extended_public_key'], add, query.search)],
      order: toListOrder(query.sort_by, ORDERS, [{ name: 'id', type: 'uuid' }]),
    } as const;
    const read = async (ids: string[]) =>
      readPublicKeys(
        deps.db,
        inOrder(ids, await deps.prisma.publicKey.findMany({ where: { id: { in: ids } } })),
      );
    return {
      status: 200,
      body: await readList(deps, { call: { principal, name: 'public_keys', query }, list, read }),
    };
  },
});
