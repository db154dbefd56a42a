// SPDX-License-Identifier: Apache-2.0
import type { TouchedRow, TransactionRow, TransferRow, TransactionFilters } from './types.ts';
import type { Sql } from '@chainwatch/data/db';
import type { TransactionQuery } from './transaction-query.ts';
import {
  resolveFilters,
  listSetFilters,
  buildConditions,
  findSource,
  type TransactionSource,
} from './build-conditions.ts';
import { toPage, type Page } from '@chainwatch/platform/http';
import { OWN_ADDRESSES_MAX, type OwnTransaction } from '../../records/transaction.ts';
import type { Listing } from '../../lists/exports.ts';
import type { Principal } from '@chainwatch/data/key-store';
import type { ApiDeps } from '../../api-deps.ts';
import { openPager, type ListedRow, type Range } from '../../lists/pager.ts';
import { sumCounts } from '../../lists/sum-counts.ts';
import { behindSql, keySql, orderSql, type ListOrder } from '../../lists/list-order.ts';
import { readIdsByValue } from '../../lists/read-ids-by-value.ts';
import { formatKnownAmount } from '@chainwatch/common/amounts';
import { splitChainGid } from '@chainwatch/common/caip';
import { findNetwork, findNotation } from '@chainwatch/chain-registry';
import type { TransactionRecord, TransferRecord } from '@chainwatch/events';

/** One page of the project's transactions with their transfers, and how many there are in all. */
export async function queryTransactions(
  { db, sealer }: Pick<ApiDeps, 'db' | 'sealer'>,
  principal: Principal,
  query: TransactionQuery,
): Promise<Page<OwnTransaction>> {
  const pager = openPager({ sealer, principal, list: 'transactions', query });
  const filters = await resolveFilters(db, principal.projectId, query);
  const total = await countTransactions(db, filters);
  const found = await findPageIds(db, { filters, query, page: { range: pager.range, total } });
  const { rows, nextCursor } = pager.close(found);
  const items = await readRecords(
    db,
    rows.map(({ id }) => id),
  );
  return toPage(items, { total, request: query, nextCursor });
}

/** All of them, for an export. */
export async function openTransactions(
  db: Sql,
  { projectId }: Principal,
  query: TransactionQuery,
): Promise<Listing> {
  const filters = await resolveFilters(db, projectId, query);
  const total = await countTransactions(db, filters);
  return {
    find: (range) => findPageIds(db, { filters, query, page: { range, total } }),
    read: (ids) => readRecords(db, ids),
    weight: {
      table: 'transactions',
      idType: 'uuid',
      bytes:
        '1000 + coalesce(octet_length(t.memo), 0) + 500 * (SELECT count(*) FROM transfers r WHERE r.transaction_id = t.id) + 500 * (SELECT least(count(*), 100) FROM transaction_addresses a WHERE a.transaction_id = t.id)',
    },
  };
}

/** The records of these transactions in the order of the ids; those deleted meanwhile are missing. */
export async function readRecords(sql: Sql, ids: readonly string[]): Promise<OwnTransaction[]> {
  if (ids.length === 0) return [];
  const [rows, transfers, touched] = await Promise.all([
    readTransactions(sql, ids),
    readTransfers(sql, ids),
    readTouched(sql, ids),
  ]);
  return Promise.all(
    rows.map(async (row) => ({
      ...(await toTransactionRecord(row, transfers.get(row.id) ?? [])),
      addresses: touched
        .filter(({ transaction_id: id }) => id === row.id)
        .map(({ transaction_id: _id, ...address }) => address),
    })),
  );
}

async function readTransactions(sql: Sql, ids: readonly string[]): Promise<TransactionRow[]> {
  const { rows } = await sql.query<TransactionRow>(
    `SELECT t.*, t.fee_amount_raw::text, f.decimals AS fee_decimals, s.head_number
     FROM unnest($1::uuid[]) WITH ORDINALITY AS p (id, position) JOIN transactions t USING (id)
     LEFT JOIN assets f ON f.gid = t.fee_asset_gid
     LEFT JOIN ingestor_states s ON s.chain_gid = t.chain_gid
     ORDER BY p.position`,
    [ids],
  );
  return rows;
}

async function readTransfers(sql: Sql, ids: readonly string[]): Promise<Map<string, TransferRow[]>> {
  const byTransaction = new Map<string, TransferRow[]>(ids.map((id) => [id, []]));
  const { rows } = await sql.query<TransferRow>(
    `SELECT r.transaction_id, r.index, CASE WHEN a.type = 'nft' THEN a.type ELSE r.type END AS type, r.asset_gid, r.from_address, r.to_address,
            CASE WHEN a.type = 'nft' THEN '0' ELSE r.amount_raw::text END AS amount_raw, a.decimals, r.log_index, r.memo, r.monitored_addresses
     FROM transfers r LEFT JOIN assets a ON a.gid = r.asset_gid
     WHERE r.transaction_id = ANY ($1) ORDER BY r.transaction_id, r.index`,
    [ids],
  );
  for (const row of rows) byTransaction.get(row.transaction_id)?.push(row);
  return byTransaction;
}

/** Addresses of the project that the transactions touch, those with a label first. */
async function readTouched(sql: Sql, ids: readonly string[]): Promise<TouchedRow[]> {
  const { rows } = await sql.query<TouchedRow>(
    `SELECT p.id AS transaction_id, o.id AS address_id, o.display AS address, o.label, o.groups
     FROM unnest($1::uuid[]) AS p (id) CROSS JOIN LATERAL (
       SELECT a.id, a.display, a.label, a.groups FROM transaction_addresses ta JOIN addresses a ON a.id = ta.address_id
       WHERE ta.transaction_id = p.id ORDER BY a.label, a.id LIMIT ${OWN_ADDRESSES_MAX}) o`,
    [ids],
  );
  return rows;
}

/** Columns with few values, by which a project's totals are kept, in any combination. */
const FEW: readonly string[] = ['chains', 'statuses', 'directions'];

/**
 * The number of matching transactions: from kept totals if these filters have some, otherwise counted with an index.
 */
async function countTransactions(sql: Sql, filters: TransactionFilters): Promise<number> {
  const { projectId, addressIds, assets } = filters;
  if (addressIds?.length === 0) return 0;
  const names = listSetFilters(filters);
  if (names.every((name) => FEW.includes(name)))
    return sumCounts(sql, { scope: projectId, list: 'transactions' }, [
      filters.chains,
      filters.statuses,
      filters.directions,
    ]);
  if (names.length === 1) {
    if (addressIds?.length === 1) return sumCounts(sql, { scope: addressIds[0]!, list: 'address' });
    if (assets?.length === 1) return sumCounts(sql, { scope: projectId, list: 'asset', key: assets });
    const source = findSource(filters, names[0]);
    if (source) return countSource(sql, source);
  }
  const { where, values } = buildConditions(filters);
  return readTotal(sql, `SELECT count(*) AS total FROM transactions t WHERE ${where}`, values);
}

/** For several addresses or assets, or for the addresses of a key: each transaction counts once. */
function countSource(
  sql: Sql,
  { table, id, key, type, values, where, parameters = [] }: TransactionSource,
): Promise<number> {
  const more = where === undefined ? '' : ` AND ${where}`;
  return readTotal(
    sql,
    `SELECT count(*) AS total FROM (SELECT FROM ${table} WHERE ${key} = ANY ($1::${type}[])${more} GROUP BY ${id}) r`,
    [values, ...parameters],
  );
}

async function readTotal(sql: Sql, text: string, values: unknown[]): Promise<number> {
  const { rows } = await sql.query<{ total: number }>(text, values);
  return rows[0]!.total;
}

const COLUMNS = { detected_at: 'detected_at', block_number: 'block_position' } as const;

interface PageOrder {
  readonly column: (typeof COLUMNS)[keyof typeof COLUMNS];
  readonly direction: 'ASC' | 'DESC';
}

/**
 * The ids of one page in their order, out of `total` matching rows. The tiebreak runs in the direction of the order, so
 * that one index serves both directions.
 */
async function findPageIds(
  sql: Sql,
  {
    filters,
    query,
    page: { range, total },
  }: {
    readonly filters: TransactionFilters;
    readonly query: TransactionQuery;
    readonly page: { readonly range: Range; readonly total: number };
  },
): Promise<readonly ListedRow[]> {
  const order: PageOrder = {
    column: COLUMNS[query.sort_by.replace('-', '') as keyof typeof COLUMNS],
    direction: query.sort_by.startsWith('-') ? 'DESC' : 'ASC',
  };
  if (range.offset >= total) return [];
  const names = listSetFilters(filters);
  const source = names.length === 1 ? findSource(filters, names[0]) : undefined;
  if (source?.columns.includes(order.column)) return readIdsByValue(sql, { source, order, page: range });
  return readFromTransactions(sql, filters, { order, page: range });
}

async function readFromTransactions(
  sql: Sql,
  filters: TransactionFilters,
  {
    order: { column, direction },
    page: { offset, limit, after },
  }: { readonly order: PageOrder; readonly page: Range },
): Promise<readonly ListedRow[]> {
  const { where, values } = buildConditions(filters);
  const order: ListOrder = {
    columns: [
      { name: column, type: column === 'detected_at' ? 'timestamptz' : 'bigint' },
      { name: 'id', type: 'uuid' },
    ],
    direction,
  };
  const behind =
    after === undefined ? '' : ` AND ${behindSql(order, after, (value) => `$${values.push(value)}`)}`;
  const { rows } = await sql.query<ListedRow>(
    `SELECT id, ${keySql(order)} AS key FROM transactions t WHERE ${where}${behind} ORDER BY ${orderSql(order)} LIMIT ${limit} OFFSET ${offset}`,
    values,
  );
  return rows;
}

/** The record of decisions.md §3. */
async function toTransactionRecord(
  row: TransactionRow,
  transfers: readonly TransferRow[],
): Promise<TransactionRecord> {
  const notation = await findNotation(splitChainGid(row.chain_gid).namespace);
  const displayAddress = spellOnce(notation?.displayAddress ?? ((address: string) => address));
  return {
    id: row.id,
    chain_gid: row.chain_gid,
    hash: row.hash,
    status: row.status,
    direction: row.direction,
    block_number: row.block_number,
    block_hash: row.block_hash,
    block_timestamp: row.block_timestamp?.toISOString() ?? null,
    tx_index: row.tx_index,
    confirmations: countConfirmations(row),
    required_confirmations: row.required_confirmations,
    fee: toFee(row),
    memo: row.memo,
    matures_at_block: row.matures_at_block,
    transfers: transfers.map((transfer) => toTransferRecord(transfer, displayAddress)),
    replaced_by: row.replaced_by,
    verification: row.verification ?? (row.is_unproved ? 'unproved' : 'proved'),
    detected_at: row.detected_at.toISOString(),
    confirmed_at: row.confirmed_at?.toISOString() ?? null,
    reorged_at: row.reorged_at?.toISOString() ?? null,
  };
}

/** An address stands in a record several times, and EIP-55 takes a hash each time. */
function spellOnce(spell: (address: string) => string): (address: string) => string {
  const known = new Map<string, string>();
  return (address) => {
    const spelt = known.get(address) ?? spell(address);
    known.set(address, spelt);
    return spelt;
  };
}

/** Counts the transaction's own block and the head. */
function countConfirmations(row: TransactionRow): number {
  if (row.block_number === null || row.head_number === null || row.status === 'reorged') return 0;
  return Math.max(0, row.head_number - row.block_number + 1);
}

function toFee(row: TransactionRow): TransactionRecord['fee'] {
  if (row.fee_asset_gid === null || row.fee_amount_raw === null) return null;
  // The network tells the decimals of its coin if the asset row is missing.
  const { gid, decimals: ofNative } = findNetwork(row.chain_gid)?.native ?? {};
  const decimals = row.fee_decimals ?? (gid === row.fee_asset_gid ? ofNative : undefined);
  return {
    asset_gid: row.fee_asset_gid,
    amount: formatKnownAmount(BigInt(row.fee_amount_raw), decimals),
    amount_raw: row.fee_amount_raw,
  };
}

function toTransferRecord(row: TransferRow, displayAddress: (canonical: string) => string): TransferRecord {
  return {
    index: row.index,
    type: row.type,
    asset_gid: row.asset_gid,
    from: row.from_address === null ? null : displayAddress(row.from_address),
    to: row.to_address === null ? null : displayAddress(row.to_address),
    amount: formatKnownAmount(BigInt(row.amount_raw), row.decimals),
    amount_raw: row.amount_raw,
    decimals: row.decimals,
    log_index: row.log_index,
    memo: row.memo,
    monitored_addresses: row.monitored_addresses.map(displayAddress),
  };
}
