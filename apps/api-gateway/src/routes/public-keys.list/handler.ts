import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import type { Prisma } from '@chainwatch/db/prisma';
import { listParameter, offsetOf, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import { containsText } from '../../lists/contains-text.ts';
import { defineRoute } from '../../server/define-route.ts';
import { readPublicKeys } from '../../public-keys/read-public-keys.ts';
import { toOrders } from '../../records/order.ts';
import { searchSchema } from '../../records/path-schemas.ts';
import { publicKeySchema } from '../../records/public-key.ts';

const COLUMNS = { created_at: 'createdAt', label: 'label' } as const;

export const listPublicKeys = defineRoute({
  method: 'GET',
  path: '/public_keys',
  permission: 'api:public_key:read',
  summary: 'Extended public keys of the project',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['created_at', 'label'], '-created_at'),
    chain_gids: listParameter(chainGidSchema),
    search: searchSchema,
  }),
  responses: { 200: pageSchema(publicKeySchema) },
  handle: async ({ query, principal }, { prisma, db }) => {
    const matches = query.search === undefined ? undefined : containsText(query.search);
    const where: Prisma.PublicKeyWhereInput = {
      projectId: principal.projectId,
      chainGid: query.chain_gids && { in: query.chain_gids.map(normalizeChainGid) },
      OR: matches && [{ label: matches }, { fingerprint: matches }, { extendedPublicKey: matches }],
    };
    const orderBy = toOrders(query.sort_by, COLUMNS, ['id']);
    const [rows, total] = await Promise.all([
      prisma.publicKey.findMany({ where, orderBy, skip: offsetOf(query), take: query.limit }),
      prisma.publicKey.count({ where }),
    ]);
    return { status: 200, body: toPage(await readPublicKeys(db, rows), total, query) };
  },
});
