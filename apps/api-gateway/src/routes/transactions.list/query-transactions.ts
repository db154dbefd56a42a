// SPDX-License-Identifier: Apache-2.0
import type { TouchedRow, TransactionRow, TransferRow } from './types.ts';
import type { Sql } from '@chainwatch/db';
import type { TransactionQuery } from './transaction-query.ts';
import { countTransactions } from './count-transactions.ts';
import { findPageIds } from './find-page-ids.ts';
import { resolveFilters } from './resolve-filters.ts';
import { toTransactionRecord } from './to-transaction-record.ts';
import { toPage, type Page } from '@chainwatch/http';
import { OWN_ADDRESSES_MAX, type OwnTransaction } from '../../records/transaction.ts';
import type { Listing } from '../../lists/exports.ts';
import type { Principal } from '@chainwatch/key-store';
import type { ApiDeps } from '../../server/api-deps.ts';
import { openPager } from '../../lists/pager.ts';

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
