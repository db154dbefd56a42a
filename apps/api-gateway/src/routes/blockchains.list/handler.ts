// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import {
  booleanParameter,
  listParameter,
  pageParameters,
  pageSchema,
  sortParameter,
} from '@chainwatch/platform/http';
import { defineRoute } from '../../define-route.ts';
import { readChainRecords } from '../../chains/read-chain-record.ts';
import { blockchainSchema } from '../../records/blockchain.ts';
import { baseOf, withLogo } from '../../records/logo.ts';
import { familySchema, searchSchema } from '../../records/path-schemas.ts';
import { toListOrder } from '../../lists/list-order.ts';
import { readList } from '../../lists/read-list.ts';
import type { AddValue } from '../../lists/build-conditions.ts';
import { containsIn } from '../../lists/search-rows.ts';

const ORDERS = {
  name: { name: 'name', type: 'text' },
  short_name: { name: 'short_name', type: 'text' },
  gid: { name: 'gid', type: 'text' },
  is_active: { name: 'is_active', type: 'boolean' },
} as const;

export const listBlockchains = defineRoute({
  method: 'GET',
  path: '/blockchains',
  permission: 'api:blockchain:read',
  reads: 'standby',
  summary: 'Blockchains of this service',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['name', 'short_name', 'gid', 'is_active'], 'name'),
    search: searchSchema,
    families: listParameter(familySchema).meta({ description: 'Only chains of these families.' }),
    is_active: booleanParameter.optional().meta({ description: 'Only active, or only inactive chains.' }),
  }),
  responses: { 200: pageSchema(blockchainSchema) },
  handle: async ({ query, principal, origin }, deps) => {
    const list = {
      from: 'blockchains',
      id: 'gid',
      wanted: {
        family: query.families,
        is_active: query.is_active === undefined ? undefined : [query.is_active],
      },
      matches: (add: AddValue) =>
        query.search === undefined ? [] : [containsIn(['name', 'short_name'], add, query.search)],
      order: toListOrder(query.sort_by, ORDERS, [{ name: 'gid', type: 'text' }]),
    } as const;
    const base = baseOf(origin, deps);
    const read = async (gids: string[]) =>
      (await readChainRecords(deps.db, gids)).map((record) => withLogo(record, base));
    return {
      status: 200,
      body: await readList(deps, { call: { principal, name: 'blockchains', query }, list, read }),
    };
  },
});
