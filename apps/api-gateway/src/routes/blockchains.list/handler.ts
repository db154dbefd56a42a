import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';
import {
  booleanParameter,
  listParameter,
  offsetOf,
  pageParameters,
  pageSchema,
  sortParameter,
  toPage,
} from '@chainwatch/http';
import { containsText } from '../../lists/contains-text.ts';
import { defineRoute } from '../../server/define-route.ts';
import { readChainRecords } from '../../chains/read-chain-record.ts';
import { blockchainSchema } from '../../records/blockchain.ts';
import { toOrders } from '../../records/order.ts';
import { familySchema, searchSchema } from '../../records/path-schemas.ts';

const COLUMNS = { name: 'name', short_name: 'shortName', gid: 'gid', is_active: 'isActive' } as const;

export const listBlockchains = defineRoute({
  method: 'GET',
  path: '/blockchains',
  permission: 'api:blockchain:read',
  summary: 'Blockchains of this service',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['name', 'short_name', 'gid', 'is_active'], 'name'),
    search: searchSchema,
    families: listParameter(familySchema).meta({ description: 'Only chains of these families.' }),
    is_active: booleanParameter.optional().meta({ description: 'Only active, or only inactive chains.' }),
  }),
  responses: { 200: pageSchema(blockchainSchema) },
  handle: async ({ query }, { db, prisma }) => {
    const matches = query.search === undefined ? undefined : containsText(query.search);
    const where: Prisma.BlockchainWhereInput = {
      family: query.families && { in: query.families },
      isActive: query.is_active,
      OR: matches && [{ name: matches }, { shortName: matches }],
    };
    const orderBy = toOrders(query.sort_by, COLUMNS, ['gid']);
    const [rows, total] = await Promise.all([
      prisma.blockchain.findMany({
        where,
        orderBy,
        select: { gid: true },
        skip: offsetOf(query),
        take: query.limit,
      }),
      prisma.blockchain.count({ where }),
    ]);
    return {
      status: 200,
      body: toPage(
        await readChainRecords(
          db,
          rows.map(({ gid }) => gid),
        ),
        total,
        query,
      ),
    };
  },
});
