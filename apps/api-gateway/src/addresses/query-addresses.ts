// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Sql } from '@chainwatch/data/db';
import type { Prisma } from '@chainwatch/data/prisma';
import { booleanParameter, listParameter, pageParameters, toPage } from '@chainwatch/platform/http';
import type { Page, PageRequest } from '@chainwatch/platform/http';
import type { Principal } from '@chainwatch/data/key-store';
import type { ApiDeps } from '../api-deps.ts';
import type { AddValue } from '../lists/build-conditions.ts';
import { containsIn, searchRows } from '../lists/search-rows.ts';
import { sumCounts } from '../lists/sum-counts.ts';
import { matchMetadata, metadataFilter, type MetadataFilter } from './metadata-filter.ts';
import { readAddresses } from './read-addresses.ts';
import { selectAddressRows } from './select-address-rows.ts';
import { ADDRESS_INCLUDE, type addressSchema } from '../records/address.ts';
import { familySchema, searchSchema } from '../records/path-schemas.ts';
import type { OrderColumn } from '../lists/list-order.ts';
import type { Listing } from '../lists/exports.ts';
import { openPager, type ListedRow, type Range } from '../lists/pager.ts';
import { inOrder, readRows } from '../lists/read-list.ts';

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

/** One page of the project's addresses. @param name of the list that is asked for */
export async function queryAddresses(
  { prisma, db, sealer }: Pick<ApiDeps, 'prisma' | 'db' | 'sealer'>,
  {
    principal,
    name,
    query,
  }: { readonly principal: Principal; readonly name: string; readonly query: AddressQuery },
): Promise<Page<z.infer<typeof addressSchema>>> {
  const pager = openPager({ sealer, principal, list: name, query });
  const found = isSearch(query)
    ? await searchAddresses(db, { principal, query, range: pager.range })
    : await findPage({ prisma, db }, { principal, query, range: pager.range });
  const { rows, nextCursor } = pager.close(found.rows);
  const ids = rows.map(({ id }) => id);
  const addresses = await prisma.address.findMany({ where: { id: { in: ids } }, include: ADDRESS_INCLUDE });
  return toPage(await readAddresses(db, inOrder(ids, addresses)), {
    total: found.total,
    request: query,
    nextCursor,
  });
}

const isSearch = ({ search, groups, metadata }: AddressQuery): boolean =>
  [search, groups, metadata].some((filter) => filter !== undefined);

/** All of them, for an export. */
export function openAddresses(
  deps: Pick<ApiDeps, 'prisma' | 'db'>,
  principal: Principal,
  query: AddressQuery,
): Listing {
  const { db } = deps;
  return {
    // In the order of the list, past rows that do not match: all of them are read once.
    find: (range) => findRows(deps, { principal, query, range }),
    async read(ids) {
      const rows = await selectAddressRows(db, 'a.id = ANY ($1::uuid[])', [ids]);
      return readAddresses(db, inOrder(ids, rows));
    },
    weight: { table: 'addresses', idType: 'uuid', bytes: '1000 + octet_length(t.metadata::text)' },
  };
}

interface Found {
  readonly rows: readonly ListedRow[];
  readonly total: number;
}

async function findPage(
  deps: Pick<ApiDeps, 'prisma' | 'db'>,
  {
    principal,
    query,
    range,
  }: { readonly principal: Principal; readonly query: AddressQuery; readonly range: Range },
): Promise<Found> {
  const total = await countAddresses(deps, principal, query);
  return { rows: range.offset < total ? await findRows(deps, { principal, query, range }) : [], total };
}

const CREATED = { name: 'created_at', type: 'timestamptz' } as const;
const ID = { name: 'id', type: 'uuid' } as const;
const INDEX = [
  { name: 'derivation_index', type: 'bigint', isNullable: true },
  { name: 'derivation_change', type: 'integer', isNullable: true },
] as const;
const DERIVED = INDEX.map(({ name, type }) => ({ name, type }));
const ORDERS: Readonly<Record<SortField, readonly OrderColumn[]>> = {
  created_at: [CREATED],
  address: [{ name: 'display', type: 'text' }],
  label: [{ name: 'label', type: 'text', isNullable: true }],
  // External addresses have no index, so they come last.
  index: [{ name: "(kind <> 'hd')", type: 'boolean', isAscending: true }, ...INDEX, CREATED],
};

const directionOf = ({ sort_by }: AddressQuery): 'ASC' | 'DESC' => (sort_by.startsWith('-') ? 'DESC' : 'ASC');
const fieldOf = ({ sort_by }: AddressQuery): SortField => sort_by.replace('-', '') as SortField;

function wantedColumns(
  { projectId }: Principal,
  { kind, public_key_id, chain_families, formats, is_monitored, is_used, change }: AddressQuery,
): Record<string, readonly unknown[] | undefined> {
  const one = (value: unknown): unknown[] | undefined => (value === undefined ? undefined : [value]);
  return {
    project_id: [projectId],
    kind: one(kind),
    public_key_id: one(public_key_id),
    chain_family: chain_families,
    format: formats,
    is_monitored: one(is_monitored),
    is_used: one(is_used),
    derivation_change: one(change),
  };
}

/** Searches, and filters that an index finds in no order of a list. */
function searchAddresses(
  sql: Sql,
  {
    principal,
    query,
    range,
  }: { readonly principal: Principal; readonly query: AddressQuery; readonly range: Range },
): Promise<Found> {
  return searchRows(sql, {
    table: 'addresses',
    id: 'id',
    columns: 'id, kind, created_at, display, label, derivation_index, derivation_change',
    matches: (add) => matchSearch(query, add),
    wanted: wantedColumns(principal, query),
    order: { columns: [...ORDERS[fieldOf(query)], ID], direction: directionOf(query) },
    range,
  });
}

function matchSearch({ search, groups, metadata }: AddressQuery, add: AddValue): string[] {
  return [
    ...(search === undefined ? [] : [containsIn(['label', 'display'], add, search)]),
    ...(groups === undefined ? [] : [`groups <> '{}' AND groups && ${add(groups)}::text[]`]),
    ...matchMetadata(metadata ?? {}, add),
  ];
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

async function findRows(
  deps: Pick<ApiDeps, 'prisma' | 'db'>,
  {
    principal,
    query,
    range,
  }: { readonly principal: Principal; readonly query: AddressQuery; readonly range: Range },
): Promise<readonly ListedRow[]> {
  const field = fieldOf(query);
  const read = (part: AddressQuery, columns: readonly OrderColumn[], rows: Range) =>
    readRows(
      deps.db,
      {
        from: 'addresses',
        id: 'id',
        wanted: wantedColumns(principal, part),
        matches: (add) => matchSearch(part, add),
        order: { columns: [...columns, ID], direction: directionOf(query) },
      },
      rows,
    );
  if (field !== 'index') return read(query, ORDERS[field], range);
  if (query.public_key_id !== undefined) return read(query, DERIVED, range);
  // External addresses have no index, so they come last, in the order of their creation. Their keys are shorter.
  const derived: AddressQuery = { ...query, kind: 'hd' };
  const { offset, limit, after } = range;
  const isBehindDerived = query.kind === 'external' || (after !== undefined && after.length <= 2);
  const derivedCount = isBehindDerived ? 0 : await countAddresses(deps, principal, derived);
  const first = offset < derivedCount ? await read(derived, [...DERIVED, CREATED], range) : [];
  if (first.length === limit || query.kind === 'hd') return first;
  const others = await read({ ...query, kind: 'external' }, [CREATED], {
    offset: Math.max(0, offset - derivedCount),
    limit: limit - first.length,
    after: isBehindDerived ? after : undefined,
  });
  return [...first, ...others];
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
