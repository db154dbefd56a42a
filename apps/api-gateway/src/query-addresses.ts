import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';
import { booleanParameter, listParameter, offsetOf, pageParameters, toPage } from '@chainwatch/http';
import type { PageRequest } from '@chainwatch/http';
import type { Principal } from '@chainwatch/key-store';
import type { ApiDeps } from './api-deps.ts';
import { containsText } from './contains-text.ts';
import { readAddresses } from './read-addresses.ts';
import { addressInclude } from './records/address.ts';
import { familySchema, searchSchema } from './records/path-schemas.ts';

export const addressSortFields = ['created_at', 'address', 'label', 'index'] as const;

/** What every list of addresses filters by. */
export const addressFilters = {
  ...pageParameters,
  chain_families: listParameter(familySchema),
  formats: listParameter(z.string().regex(/^[a-z0-9_-]{1,32}$/, 'expected an address format such as evm or p2wpkh')),
  is_monitored: booleanParameter.optional(),
  search: searchSchema,
};

/** What only derived addresses have. */
export const hdAddressFilters = {
  is_used: booleanParameter.optional(),
  change: z.enum(['0', '1']).transform(Number).optional(),
};

type SortField = (typeof addressSortFields)[number];

export interface AddressQuery extends PageRequest {
  readonly sort_by: SortField | `-${SortField}`;
  readonly kind?: 'hd' | 'external';
  readonly public_key_id?: string;
  readonly chain_families?: z.infer<typeof familySchema>[];
  readonly formats?: string[];
  readonly is_monitored?: boolean;
  readonly is_used?: boolean;
  readonly change?: number;
  readonly search?: string;
}

/** One page of the project's addresses. */
export async function queryAddresses({ prisma, db }: Pick<ApiDeps, 'prisma' | 'db'>, principal: Principal, query: AddressQuery) {
  const where = toConditions(principal, query);
  const [rows, total] = await Promise.all([
    prisma.address.findMany({ where, orderBy: toOrders(query.sort_by), include: addressInclude, skip: offsetOf(query), take: query.limit }),
    prisma.address.count({ where }),
  ]);
  return toPage(await readAddresses(db, rows), total, query);
}

function toConditions(principal: Principal, query: AddressQuery): Prisma.AddressWhereInput {
  const matches = query.search === undefined ? undefined : containsText(query.search);
  return {
    projectId: principal.projectId,
    kind: query.kind,
    publicKeyId: query.public_key_id,
    chainFamily: query.chain_families && { in: query.chain_families },
    format: query.formats && { in: query.formats },
    isMonitored: query.is_monitored,
    isUsed: query.is_used,
    derivationChange: query.change,
    OR: matches && [{ label: matches }, { display: matches }],
  };
}

function toOrders(sortBy: AddressQuery['sort_by']): Prisma.AddressOrderByWithRelationInput[] {
  const direction = sortBy.startsWith('-') ? 'desc' : 'asc';
  switch (sortBy.replace('-', '') as SortField) {
    case 'created_at':
      return [{ createdAt: direction }, { id: 'asc' }];
    case 'address':
      return [{ display: direction }, { id: 'asc' }];
    case 'label':
      return [{ label: direction }, { id: 'asc' }];
    case 'index':
      // External addresses have none: they stand last, in the order of their creation.
      return [{ derivationIndex: { sort: direction, nulls: 'last' } }, { derivationChange: 'asc' }, { createdAt: direction }, { id: 'asc' }];
  }
}
