import { z } from 'zod';
import type { Sql } from '@chainwatch/db';
import type { Prisma } from '@chainwatch/db/prisma';
import { booleanParameter, listParameter, offsetOf, pageParameters, toPage } from '@chainwatch/http';
import type { Page, PageRequest } from '@chainwatch/http';
import type { Principal } from '@chainwatch/key-store';
import type { ApiDeps } from '../server/api-deps.ts';
import { containsIn, searchRows } from '../lists/search-rows.ts';
import { sumCounts } from '../lists/sum-counts.ts';
import { matchMetadata, metadataFilter, type MetadataFilter } from './metadata-filter.ts';
import { readAddresses } from './read-addresses.ts';
import { ADDRESS_INCLUDE, type addressSchema } from '../records/address.ts';
import { familySchema, searchSchema } from '../records/path-schemas.ts';

export const ADDRESS_SORT_FIELDS = ['created_at', 'address', 'label', 'index'] as const;

/** Filters that every list of addresses has. */
export const addressFilters = {
  ...pageParameters,
  chain_families: listParameter(familySchema),
  formats: listParameter(
    z.string().regex(/^[a-z0-9_-]{1,32}$/, 'expected an address format such as evm or p2wpkh'),
  ),
  groups: listParameter(z.string().min(1).max(64)),
  metadata: metadataFilter,
  is_monitored: booleanParameter.optional(),
  search: searchSchema,
};

/** Filters that only derived addresses have. */
export const hdAddressFilters = {
  is_used: booleanParameter.optional(),
  change: z.enum(['0', '1']).transform(Number).optional(),
};

type SortField = (typeof ADDRESS_SORT_FIELDS)[number];

export interface AddressQuery extends PageRequest {
  readonly sort_by: SortField | `-${SortField}`;
  readonly kind?: 'hd' | 'external';
  readonly public_key_id?: string;
  readonly chain_families?: z.infer<typeof familySchema>[];
  readonly formats?: string[];
  readonly groups?: string[];
  readonly metadata?: MetadataFilter;
  readonly is_monitored?: boolean;
  readonly is_used?: boolean;
  readonly change?: number;
  readonly search?: string;
}

/** One page of the project's addresses. */
export async function queryAddresses(
  { prisma, db }: Pick<ApiDeps, 'prisma' | 'db'>,
  principal: Principal,
  query: AddressQuery,
): Promise<Page<z.infer<typeof addressSchema>>> {
  const { ids, total } =
    query.search === undefined && query.groups === undefined && query.metadata === undefined
      ? await findPage({ prisma, db }, principal, query)
      : await searchAddresses(db, principal, query);
  const rows = await prisma.address.findMany({ where: { id: { in: ids } }, include: ADDRESS_INCLUDE });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return toPage(
    await readAddresses(
      db,
      ids.flatMap((id) => byId.get(id) ?? []),
    ),
    total,
    query,
  );
}

async function findPage(
  deps: Pick<ApiDeps, 'prisma' | 'db'>,
  principal: Principal,
  query: AddressQuery,
): Promise<{ ids: string[]; total: number }> {
  const total = await countAddresses(deps, principal, query);
  return { ids: offsetOf(query) < total ? await findPageIds(deps, principal, query) : [], total };
}

const ORDERS: Readonly<Record<SortField, readonly string[]>> = {
  created_at: ['created_at'],
  address: ['display'],
  label: ['label'],
  index: ['derivation_index', 'derivation_change', 'created_at'],
};

/** Searches, and filters that an index finds in no order of a list. */
function searchAddresses(
  sql: Sql,
  { projectId }: Principal,
  query: AddressQuery,
): Promise<{ ids: string[]; total: number }> {
  const { kind, public_key_id, chain_families, formats, is_monitored, is_used, change } = query;
  const field = query.sort_by.replace('-', '') as SortField;
  const direction = query.sort_by.startsWith('-') ? 'DESC' : 'ASC';
  const order = [...ORDERS[field], 'id'].map((column) => `${column} ${direction}`).join(', ');
  const one = (value: unknown): unknown[] | undefined => (value === undefined ? undefined : [value]);
  return searchRows(sql, {
    table: 'addresses',
    id: 'id',
    columns: 'id, kind, created_at, display, label, derivation_index, derivation_change',
    matches: (add) => [
      ...(query.search === undefined ? [] : [containsIn(['label', 'display'], add, query.search)]),
      ...(query.groups === undefined ? [] : [`groups <> '{}' AND groups && ${add(query.groups)}::text[]`]),
      ...matchMetadata(query.metadata ?? {}, add),
    ],
    wanted: {
      project_id: [projectId],
      kind: one(kind),
      public_key_id: one(public_key_id),
      chain_family: chain_families,
      format: formats,
      is_monitored: one(is_monitored),
      is_used: one(is_used),
      derivation_change: one(change),
    },
    // External addresses have no index, so they come last.
    order: field === 'index' ? `kind <> 'hd', ${order}` : order,
    offset: offsetOf(query),
    limit: query.limit,
  });
}

/** From kept totals, which cover the columns with few values; the addresses of a key are counted. */
async function countAddresses(
  { prisma, db }: Pick<ApiDeps, 'prisma' | 'db'>,
  principal: Principal,
  query: AddressQuery,
): Promise<number> {
  if (query.public_key_id !== undefined)
    return prisma.address.count({ where: toConditions(principal, query) });
  const { kind, chain_families, formats, is_monitored, is_used, change } = query;
  const wanted = [
    kind && [kind],
    chain_families,
    formats,
    asTexts(is_monitored),
    asTexts(is_used),
    asTexts(change),
  ];
  return sumCounts(db, { scope: principal.projectId, list: 'addresses' }, wanted);
}

function asTexts(value: boolean | number | undefined): string[] | undefined {
  return value === undefined ? undefined : [String(value)];
}

type Order = Prisma.AddressOrderByWithRelationInput;

async function findPageIds(
  deps: Pick<ApiDeps, 'prisma' | 'db'>,
  principal: Principal,
  query: AddressQuery,
): Promise<string[]> {
  const direction = query.sort_by.startsWith('-') ? 'desc' : 'asc';
  const read = (part: AddressQuery, orderBy: Order[], skip: number, take: number) =>
    readIds(deps, { where: toConditions(principal, part), orderBy, skip, take });
  const skip = offsetOf(query);
  switch (query.sort_by.replace('-', '') as SortField) {
    case 'created_at':
      return read(query, [{ createdAt: direction }, { id: direction }], skip, query.limit);
    case 'address':
      return read(query, [{ display: direction }, { id: direction }], skip, query.limit);
    case 'label':
      return read(query, [{ label: direction }, { id: direction }], skip, query.limit);
    case 'index':
      break;
  }
  const byIndex: Order[] = [{ derivationIndex: direction }, { derivationChange: direction }];
  if (query.public_key_id !== undefined)
    return read(query, [...byIndex, { id: direction }], skip, query.limit);
  // External addresses have no index, so they come last, in the order of their creation.
  const derived: AddressQuery = { ...query, kind: 'hd' };
  const derivedCount = query.kind === 'external' ? 0 : await countAddresses(deps, principal, derived);
  const first =
    skip < derivedCount
      ? await read(derived, [...byIndex, { createdAt: direction }, { id: direction }], skip, query.limit)
      : [];
  if (first.length === query.limit || query.kind === 'hd') return first;
  const others = await read(
    { ...query, kind: 'external' },
    [{ createdAt: direction }, { id: direction }],
    Math.max(0, skip - derivedCount),
    query.limit - first.length,
  );
  return [...first, ...others];
}

/** Only the ids are read, so an index alone answers however many rows are skipped. */
async function readIds(
  { prisma }: Pick<ApiDeps, 'prisma'>,
  page: Pick<Prisma.AddressFindManyArgs, 'where' | 'orderBy' | 'skip' | 'take'>,
): Promise<string[]> {
  const rows = await prisma.address.findMany({ ...page, select: { id: true } });
  return rows.map(({ id }) => id);
}

function toConditions(principal: Principal, query: AddressQuery): Prisma.AddressWhereInput {
  return {
    projectId: principal.projectId,
    kind: query.kind,
    publicKeyId: query.public_key_id,
    chainFamily: query.chain_families && { in: query.chain_families },
    format: query.formats && { in: query.formats },
    isMonitored: query.is_monitored,
    isUsed: query.is_used,
    derivationChange: query.change,
  };
}
