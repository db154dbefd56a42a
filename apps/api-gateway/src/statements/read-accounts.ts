// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { CHECKED_AT, COINS_CHECKED_AT } from '../routes/addresses.balance-details/balance-row.ts';
import type { StatedAddress } from './stated-address.ts';
import type { StatedWindow } from './stated-chain.ts';

/** A balance when the chain stated it. */
export interface Reading {
  readonly amountRaw: bigint;
  readonly number: number;
  readonly hash: string;
  readonly time: string | null;
}

/** A balance of an address in the window of its chain. */
export interface Account {
  readonly assetGid: string;
  readonly symbol: string | null;
  readonly decimals: number | null;
  /** The last reading at or before the block before the window; else the first one in it. */
  readonly opening: Reading | undefined;
  readonly isOpeningLate: boolean;
  /** The last reading up to the end of the window. */
  readonly closing: Reading | undefined;
  readonly checkedAt: string | null;
  /** What a single reading shows and nothing explains: a second one has not decided yet. */
  readonly doubt?: Doubt | undefined;
}

export interface Doubt {
  readonly amountRaw: bigint;
  /** The block after which it may have begun, and the reading's. */
  readonly since: number;
  readonly until: number;
}

interface Row {
  readonly doubt_raw: string | null;
  readonly doubt_since: number | null;
  readonly doubt_until: number | null;
  readonly asset_gid: string;
  readonly symbol: string | null;
  readonly decimals: number | null;
  readonly checked_at: Date | null;
  readonly opening_raw: string | null;
  readonly opening_number: number | null;
  readonly opening_hash: string | null;
  readonly opening_time: Date | null;
  readonly closing_raw: string | null;
  readonly closing_number: number | null;
  readonly closing_hash: string | null;
  readonly closing_time: Date | null;
}

/** Blocks that readings name are rows, not packed. */
const READING = (condition: string, order: 'ASC' | 'DESC'): string =>
  `SELECT h.amount_raw::text AS raw, h.block_number AS number, h.block_hash AS hash,
     (SELECT k.block_timestamp FROM blocks k WHERE k.chain_gid = h.chain_gid AND k.hash = h.block_hash) AS time
   FROM balance_history h WHERE h.address_id = b.address_id AND h.asset_gid = b.asset_gid AND ${condition} ORDER BY h.block_number ${order} LIMIT 1`;

/**
 * The balances of an address on a chain: those that have a reading, and those that moved and have none. Tokens that are no
 * amounts have no balance.
 */
export async function readAccounts(
  sql: Sql,
  { id, address }: StatedAddress,
  { chain: { gid, isOfCoins }, openNumber, closeNumber }: StatedWindow,
): Promise<Account[]> {
  const { rows } = await sql.query<Row>(
    `SELECT b.asset_gid, a.symbol, a.decimals, ${isOfCoins ? COINS_CHECKED_AT : CHECKED_AT} AS checked_at,
       coalesce(o.raw, l.raw) AS opening_raw, coalesce(o.number, l.number) AS opening_number, coalesce(o.hash, l.hash) AS opening_hash, coalesce(o.time, l.time) AS opening_time,
       c.raw AS closing_raw, c.number AS closing_number, c.hash AS closing_hash, c.time AS closing_time,
       d.amount_raw::text AS doubt_raw, coalesce(d.since_number, c.number) AS doubt_since, d.block_number AS doubt_until
     FROM balances b JOIN assets a ON a.gid = b.asset_gid AND a.type <> 'nft'
     LEFT JOIN LATERAL (${READING('h.block_number <= $4', 'DESC')}) o ON true
     LEFT JOIN LATERAL (${READING('o.number IS NULL AND h.block_number > $4 AND h.block_number <= $5', 'ASC')}) l ON true
     LEFT JOIN LATERAL (${READING('h.block_number <= $5', 'DESC')}) c ON true
     LEFT JOIN balance_differences d ON d.address_id = b.address_id AND d.asset_gid = b.asset_gid
       AND coalesce(d.since_number, c.number) < $5 AND d.block_number > $4
     WHERE b.address_id = $1 AND b.chain_gid = $2 ORDER BY b.asset_gid`,
    [id, gid, address, openNumber, closeNumber],
  );
  return rows.map((row) => ({
    assetGid: row.asset_gid,
    symbol: row.symbol,
    decimals: row.decimals,
    opening: toReading({
      raw: row.opening_raw,
      number: row.opening_number,
      hash: row.opening_hash,
      time: row.opening_time,
    }),
    isOpeningLate: row.opening_number !== null && row.opening_number > openNumber,
    closing: toReading({
      raw: row.closing_raw,
      number: row.closing_number,
      hash: row.closing_hash,
      time: row.closing_time,
    }),
    checkedAt: row.checked_at?.toISOString() ?? null,
    doubt: toDoubt(row),
  }));
}

function toDoubt({ doubt_raw: raw, doubt_since: since, doubt_until: until }: Row): Doubt | undefined {
  return raw === null || until === null ? undefined : { amountRaw: BigInt(raw), since: since ?? -1, until };
}

interface ReadingColumns {
  readonly raw: string | null;
  readonly number: number | null;
  readonly hash: string | null;
  readonly time: Date | null;
}

function toReading({ raw, number, hash, time }: ReadingColumns): Reading | undefined {
  if (raw === null || number === null || hash === null) return undefined;
  return { amountRaw: BigInt(raw), number, hash, time: time?.toISOString() ?? null };
}
