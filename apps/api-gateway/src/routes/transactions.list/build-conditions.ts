// SPDX-License-Identifier: Apache-2.0
import type { AddValue } from '../../lists/build-conditions.ts';
import { containsIn } from '../../lists/search-rows.ts';
import type { TransactionFilters, Range } from './types.ts';
import type { ValueSource } from '../../lists/read-ids-by-value.ts';
import type { Sql } from '@chainwatch/data/db';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { canonicalizeAssetGids } from '../../assets/canonicalize-asset-gids.ts';
import { NOBODY } from '../../lists/sum-counts.ts';
import { listCanonicalForms } from '../../addresses/parse-address.ts';
import { families } from '../../records/path-schemas.ts';
import type { TransactionQuery } from './transaction-query.ts';

interface Conditions {
  /** Conditions over `transactions t`, with numbered parameters; the first is the project. */
  readonly where: string;
  readonly values: unknown[];
}

/**
 * The filters as SQL. Every value is a parameter. A list with one value is compared with `=`, so that an index returns
 * its rows in order.
 */
export function buildConditions(filters: TransactionFilters): Conditions {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const add = (condition: (parameter: string) => string, value: unknown): void => {
    if (value === undefined) return;
    conditions.push(condition(`$${values.push(value)}`));
  };
  const addList = (column: string, list: readonly string[] | undefined): void => {
    if (list?.length === 1) add((p) => `${column} = ${p}`, list[0]);
    else add((p) => `${column} = ANY (${p})`, list);
  };
  add((p) => `t.project_id = ${p}`, filters.projectId);
  addList('t.chain_gid', filters.chains);
  addList('t.status', filters.statuses);
  addList('t.direction', filters.directions);
  add((p) => `t.hash = ANY (${p})`, filters.hashes);
  // A transaction without a block is in no range of blocks.
  if (filters.blocks) conditions.push(`t.block_position BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER - 1}`);
  add((p) => `t.block_position >= ${p}`, filters.blocks?.from);
  add((p) => `t.block_position <= ${p}`, filters.blocks?.to);
  add((p) => `t.detected_at >= ${p}::timestamptz`, filters.times?.from);
  add((p) => `t.detected_at <= ${p}::timestamptz`, filters.times?.to);
  add(
    (p) =>
      `EXISTS (SELECT FROM transaction_addresses ta WHERE ta.transaction_id = t.id AND ta.address_id = ANY (${p}))`,
    filters.addressIds,
  );
  if (filters.groups !== undefined || filters.search !== undefined)
    conditions.push(touchesOwn(filters, (value) => `$${values.push(value)}`));
  add(
    (p) =>
      `EXISTS (SELECT FROM transaction_addresses ta WHERE ta.transaction_id = t.id AND ta.public_key_id = ${p}::uuid)`,
    filters.publicKeyId,
  );
  add(
    (p) => `EXISTS (SELECT FROM transfers r WHERE r.transaction_id = t.id AND r.asset_gid = ANY (${p}))`,
    filters.assets,
  );
  const assets = `$${values.length}`;
  if (filters.assets === undefined) add((p) => `t.amount_max >= ${p}::numeric`, filters.minAmount);
  else add((p) => movesAtLeast(p, assets), filters.minAmount);
  add((p) => hasMemo(`= ${p}`), filters.memo);
  add((p) => hasMemo(`^@ ${p}`), filters.memoPrefix);
  return { where: conditions.join(' AND '), values };
}

/** Whether a transaction touches an address of the project in one of the groups, with the text in its label or in itself. */
function touchesOwn({ groups, search }: TransactionFilters, add: AddValue): string {
  const conditions = [
    ...(groups === undefined ? [] : [`groups <> '{}' AND groups && ${add(groups)}::text[]`]),
    ...(search === undefined ? [] : [containsIn(['label', 'display'], add, search)]),
  ].join(' AND ');
  return `t.id IN (SELECT ta.transaction_id FROM transaction_addresses ta WHERE ta.address_id IN (
    SELECT id FROM addresses WHERE project_id = $1 AND ${conditions}))`;
}

/**
 * Whether the project's own part of a transaction has such a memo. The transactions are looked up by it first: hardly any has
 * one, and an index holds those alone.
 * @param comparison of a memo with a parameter
 */
function hasMemo(comparison: string): string {
  return `t.id = ANY (ARRAY(
    SELECT m.id FROM transactions m WHERE m.project_id = $1 AND m.memo IS NOT NULL
      AND (m.memo ${comparison} OR EXISTS (SELECT FROM unnest(string_to_array(m.memo, E'\\n')) AS l (line) WHERE l.line ${comparison}))
    UNION SELECT f.transaction_id FROM transfers f WHERE f.project_id = $1 AND f.memo IS NOT NULL AND f.memo ${comparison}))`;
}

/**
 * Whether a transaction moves one of the assets in at least this amount. What is unknown may be enough: it passes. If a project pays others out of its outputs, input and change do not count as amounts
 * moved (see set_amount_max).
 */
function movesAtLeast(amount: string, assets: string): string {
  return `EXISTS (SELECT FROM transfers r LEFT JOIN assets d ON d.gid = r.asset_gid
    WHERE r.transaction_id = t.id AND r.asset_gid = ANY (${assets}) AND d.type IS DISTINCT FROM 'nft' AND coalesce(r.amount_raw >= ${amount}::numeric * power(10::numeric, d.decimals), true)
      AND (r.monitored_addresses = '{}' OR NOT EXISTS (SELECT FROM transfers f WHERE f.transaction_id = t.id AND f.monitored_addresses = '{}')))`;
}

export interface TransactionSource extends ValueSource {
  /** The columns by which the source returns the rows of a value in order. */
  readonly columns: readonly ('detected_at' | 'block_position')[];
}

const COLUMNS = ['detected_at', 'block_position'] as const;

/** The source that serves these filters, if they consist of one that has a source. */
export function findSource(
  { projectId, statuses, chains, addressIds, publicKeyId, assets }: TransactionFilters,
  name: string | undefined,
): TransactionSource | undefined {
  const ownRows = { type: 'text', where: 'project_id = $2', parameters: [projectId] } as const;
  const addresses = {
    table: 'transaction_addresses',
    id: 'transaction_id',
    type: 'uuid',
    columns: COLUMNS,
  } as const;
  if (name === 'statuses' && statuses)
    return {
      ...ownRows,
      table: 'transactions',
      id: 'id',
      key: 'status',
      values: statuses,
      columns: ['detected_at'],
    };
  if (name === 'chains' && chains)
    return {
      ...ownRows,
      table: 'transactions',
      id: 'id',
      key: 'chain_gid',
      values: chains,
      columns: COLUMNS,
    };
  if (name === 'addressIds' && addressIds)
    return { ...addresses, key: 'address_id', values: addressIds, isOverlapping: true };
  if (name === 'publicKeyId' && publicKeyId !== undefined)
    return { ...addresses, key: 'public_key_id', values: [publicKeyId], isRepeated: true };
  if (name === 'assets' && assets)
    return {
      ...ownRows,
      table: 'transfers',
      id: 'transaction_id',
      key: 'asset_gid',
      values: assets,
      columns: ['detected_at'],
      isRepeated: true,
      isOverlapping: true,
    };
  return undefined;
}

export async function resolveFilters(
  sql: Sql,
  projectId: string,
  query: TransactionQuery,
): Promise<TransactionFilters> {
  return {
    projectId,
    chains: unique(query.chain_gids?.map(normalizeChainGid)),
    statuses: unique(query.statuses),
    directions: query.direction && [query.direction],
    hashes: query.hash === undefined ? undefined : unique([query.hash, query.hash.toLowerCase()]),
    blocks: toRange(query.from_block, query.to_block),
    times: toRange(query.since, query.until),
    addressIds: query.addresses && (await findAddressIds(sql, projectId, query.addresses)),
    groups: unique(query.groups),
    search: query.search,
    publicKeyId: query.public_key_id && (await findPublicKeyId(sql, projectId, query.public_key_id)),
    assets: unique(query.asset_gids && (await canonicalizeAssetGids(query.asset_gids))),
    minAmount: query.min_amount,
    memo: query.memo,
    memoPrefix: query.memo_prefix,
  };
}

type FilterName = Exclude<keyof TransactionFilters, 'projectId'>;

/** The names of the filters that are set. */
export function listSetFilters(filters: TransactionFilters): FilterName[] {
  return (Object.keys(filters) as (keyof TransactionFilters)[]).filter(
    (name): name is FilterName => name !== 'projectId' && filters[name] !== undefined,
  );
}

function unique(values: readonly string[] | undefined): string[] | undefined {
  return values && [...new Set(values)];
}

function toRange<V>(from: V | undefined, to: V | undefined): Range<V> | undefined {
  return from === undefined && to === undefined ? undefined : { from, to };
}

async function findAddressIds(sql: Sql, projectId: string, addresses: readonly string[]): Promise<string[]> {
  const forms = (await Promise.all(addresses.map(listCanonicalForms))).flat();
  const { rows } = await sql.query<{ id: string }>(
    'SELECT id FROM addresses WHERE project_id = $1 AND chain_family = ANY ($2) AND address = ANY ($3)',
    [projectId, families, forms],
  );
  return rows.map(({ id }) => id);
}

/** The id of no key if the project has no such key. */
async function findPublicKeyId(sql: Sql, projectId: string, id: string): Promise<string> {
  const { rows } = await sql.query<{ id: string }>(
    'SELECT id FROM public_keys WHERE id = $1 AND project_id = $2',
    [id, projectId],
  );
  return rows[0]?.id ?? NOBODY;
}
