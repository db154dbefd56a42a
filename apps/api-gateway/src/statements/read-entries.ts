// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { ChangeReason } from '@chainwatch/events';
import type { StatedAddress } from './stated-address.ts';

/** Rows of one fetch: a statement holds no more of them in memory, however many there are. */
export const ROWS_AT_ONCE = 1_000;

/** What happened to a balance of an address, or was read of it, in the order of blocks. */
export interface Entry {
  readonly kind: 'transfer' | 'change' | 'reading' | 'adjustment';
  readonly asset_gid: string;
  readonly symbol: string | null;
  readonly decimals: number | null;
  readonly reason: ChangeReason | null;
  /** What it moved, signed; of a reading the balance. */
  readonly amount_raw: string;
  readonly block_number: number;
  readonly block_hash: string;
  readonly block_time: Date | null;
  readonly from_address: string | null;
  readonly to_address: string | null;
  readonly transfer_index: number | null;
  readonly hash: string | null;
  readonly status: string | null;
  readonly verification: string | null;
  readonly since_block: number | null;
  readonly event_id: string | null;
}

export interface EntryRange {
  readonly chainGid: string;
  /** Entries after this block… */
  readonly openNumber: number;
  /** …and up to this one. */
  readonly closeNumber: number;
  /** Balances whose entries begin after another block: that of their opening reading. */
  readonly openings: readonly { readonly assetGid: string; readonly number: number }[];
}

/**
 * What the balance service explains balances with (apps/balance-service/src/plan/read-explained.ts), row by row: transfers
 * and fees of canonical transactions that concern the address, and changes by blocks. Readings of a block come behind what
 * moved in it, and its adjustments behind them. Runs in a transaction, because a cursor lives in one.
 */
export async function* readEntries(
  sql: Sql,
  { id, projectId, address }: StatedAddress,
  { chainGid, openNumber, closeNumber, openings }: EntryRange,
): AsyncGenerator<readonly Entry[], void> {
  const lowest = openings.reduce((low, { number }) => Math.min(low, number), openNumber);
  // Planned with the actual values, for all rows and not for the first ones.
  await sql.query(
    'SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL enable_seqscan = on; SET LOCAL cursor_tuple_fraction = 1',
  );
  await sql.query(`DECLARE entries NO SCROLL CURSOR FOR ${ENTRIES_SQL}`, [
    ...[id, projectId, chainGid, address, lowest, closeNumber, openNumber],
    openings.map(({ assetGid }) => assetGid),
    openings.map(({ number }) => number),
  ]);
  for (;;) {
    const { rows } = await sql.query<Omit<Entry, 'event_id'> & { transaction_id: string | null }>(
      `FETCH ${ROWS_AT_ONCE} FROM entries`,
    );
    if (rows.length === 0) break;
    const events = await findEvents(
      sql,
      rows.flatMap(({ transaction_id: each }) => each ?? []),
    );
    yield rows.map((row) => ({ ...row, event_id: events.get(row.transaction_id ?? '') ?? null }));
    if (rows.length < ROWS_AT_ONCE) break;
  }
  await sql.query('CLOSE entries');
}

/** What the columns of all four kinds begin with. */
const OF_TRANSACTION = `x.block_number, x.block_hash, x.block_timestamp AS block_time, x.hash, x.status, x.verification, x.id AS transaction_id, coalesce(x.tx_index, 0) AS place`;
const OF_BLOCK = (row: string): string =>
  `${row}.block_number, ${row}.block_hash, (SELECT k.block_timestamp FROM blocks k WHERE k.chain_gid = ${row}.chain_gid AND k.hash = ${row}.block_hash) AS block_time, NULL AS hash, NULL AS status,
   (SELECT k.verification FROM blocks k WHERE k.chain_gid = ${row}.chain_gid AND k.hash = ${row}.block_hash) AS verification, NULL::uuid AS transaction_id, 0 AS place`;
const RANGE_OF = (row: string): string =>
  `${row}.address_id = $1 AND ${row}.chain_gid = $3 AND ${row}.block_number > $5 AND ${row}.block_number <= $6`;

const ENTRIES_SQL = `WITH mine AS NOT MATERIALIZED (
    SELECT x.* FROM transactions x JOIN transaction_addresses ta ON ta.transaction_id = x.id
    WHERE ta.address_id = $1 AND x.project_id = $2 AND x.chain_gid = $3 AND x.block_number > $5 AND x.block_number <= $6 AND x.status <> 'reorged')
  SELECT e.*, a.symbol, a.decimals FROM (
    SELECT 1 AS rank, 'transfer' AS kind, f.asset_gid, 'transfer' AS reason,
      CASE WHEN f.to_address = $4 THEN f.amount_raw ELSE 0 END - CASE WHEN f.from_address = $4 THEN f.amount_raw ELSE 0 END AS amount_raw,
      f.from_address, f.to_address, f.index AS transfer_index, NULL::bigint AS since_block, ${OF_TRANSACTION}
    FROM mine x JOIN transfers f ON f.transaction_id = x.id AND f.type <> 'nft' AND (f.from_address = $4 OR f.to_address = $4)
    UNION ALL
    SELECT 2, 'transfer', x.fee_asset_gid, 'fee', -x.fee_amount_raw, x.fee_payer, NULL, NULL, NULL, ${OF_TRANSACTION}
    FROM mine x WHERE x.fee_payer = $4 AND x.fee_asset_gid IS NOT NULL AND x.fee_amount_raw IS NOT NULL
    UNION ALL
    SELECT 3, 'change', c.asset_gid, c.reason, c.amount_raw, NULL, NULL, NULL, NULL, ${OF_BLOCK('c')} FROM block_changes c WHERE ${RANGE_OF('c')}
    UNION ALL
    SELECT 4, 'reading', h.asset_gid, NULL, h.amount_raw, NULL, NULL, NULL, NULL, ${OF_BLOCK('h')} FROM balance_history h WHERE ${RANGE_OF('h')}
    UNION ALL
    SELECT 5, 'adjustment', j.asset_gid, NULL, j.amount_raw, NULL, NULL, NULL, j.from_block, ${OF_BLOCK('j')} FROM adjustments j WHERE ${RANGE_OF('j')}
  ) e
  LEFT JOIN unnest($8::text[], $9::bigint[]) AS o (asset_gid, number) ON o.asset_gid = e.asset_gid
  LEFT JOIN assets a ON a.gid = e.asset_gid
  WHERE e.block_number > coalesce(least(o.number, $7), $7) AND a.type IS DISTINCT FROM 'nft'
  ORDER BY e.block_number, e.rank > 2, e.place, e.transaction_id, e.rank, e.transfer_index, e.asset_gid, e.reason`;

/** The last event that told each transaction, a confirmation before all others. What is held is not told. */
async function findEvents(sql: Sql, transactionIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(transactionIds)];
  if (ids.length === 0) return new Map();
  const { rows } = await sql.query<{ transaction_id: string; event_id: string }>(
    `SELECT DISTINCT ON (transaction_id) transaction_id, event_id FROM event_log
     WHERE transaction_id = ANY ($1::uuid[]) AND type IN ('transaction.detected', 'transaction.confirmed') AND NOT is_held
     ORDER BY transaction_id, type = 'transaction.confirmed' DESC, id DESC`,
    [ids],
  );
  return new Map(rows.map((row) => [row.transaction_id, row.event_id]));
}
