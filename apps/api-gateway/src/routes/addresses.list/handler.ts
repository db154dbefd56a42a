import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';
import { booleanParameter, listParameter, offsetOf, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import { containsText } from '../../contains-text.ts';
import { defineRoute } from '../../define-route.ts';
import { addressInclude, addressSchema, toAddressRecord } from '../../records/address.ts';
import { toOrder } from '../../records/order.ts';
import { familySchema, searchSchema } from '../../records/path-schemas.ts';

// External addresses have no index: sorted by it, they stand in the order of their creation.
const columns = { created_at: 'createdAt', address: 'display', label: 'label', index: 'createdAt' } as const;

export const listAddresses = defineRoute({
  method: 'GET',
  path: '/addresses',
  summary: 'Addresses of the project',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['created_at', 'address', 'label', 'index'], '-created_at'),
    kind: z.enum(['hd', 'external']).optional(),
    chain_families: listParameter(familySchema),
    formats: listParameter(z.string().regex(/^[a-z0-9-]{1,32}$/, 'expected an address format such as evm or p2wpkh')),
    public_key_id: z.uuid().optional(),
    is_monitored: booleanParameter.optional(),
    search: searchSchema,
  }),
  responses: { 200: pageSchema(addressSchema) },
  handle: async ({ query, principal }, { prisma }) => {
    // No address has a public key in this build.
    if (query.public_key_id !== undefined) return { status: 200, body: toPage([], 0, query) };
    const matches = query.search === undefined ? undefined : containsText(query.search);
    const where: Prisma.AddressWhereInput = {
      projectId: principal.projectId,
      kind: query.kind,
      chainFamily: query.chain_families && { in: query.chain_families },
      format: query.formats && { in: query.formats },
      isMonitored: query.is_monitored,
      OR: matches && [{ label: matches }, { display: matches }],
    };
    const orderBy = [toOrder(query.sort_by, columns), { id: 'asc' as const }];
    const [rows, total] = await Promise.all([
      prisma.address.findMany({ where, orderBy, include: addressInclude, skip: offsetOf(query), take: query.limit }),
      prisma.address.count({ where }),
    ]);
    return { status: 200, body: toPage(rows.map(toAddressRecord), total, query) };
  },
});
