// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/db';
import { unprocessableEntity } from '@chainwatch/problem';
import { SHOWN_BALANCES } from '../addresses.balance-details/balance-row.ts';

export interface BalanceAt {
  readonly asset_gid: string;
  readonly amount_raw: string;
  readonly decimals: number | null;
}

export interface BlockOfAddress {
  readonly id: string;
  readonly projectId: string;
  /** Canonical. */
  readonly address: string;
  readonly chainGid: string;
  readonly block: number;
}

interface AccountBalanceAt extends BalanceAt {
  readonly before: number | null;
  readonly after: number | null;
  readonly is_certain: boolean;
}

/**
 * A reading of the state at a node's head may hold a part of the block that the node takes just then: it counts where the
 * next block is analysed and has nothing of the address.
 */
const IS_CLEAN = `(NOT $6 OR (h.block_number < (SELECT s.cursor_number FROM analyzer_states s WHERE s.chain_gid = $4)
  AND NOT EXISTS (SELECT FROM transactions x JOIN transaction_addresses t ON t.transaction_id = x.id AND t.address_id = $1
    WHERE x.project_id = $2 AND x.chain_gid = $4 AND x.block_number = h.block_number + 1)))`;

/** The next reading of a balance, in either direction. */
const readingSql = (side: 'before' | 'after'): string =>
  `LEFT JOIN LATERAL (SELECT h.amount_raw, h.block_number FROM balance_history h
     WHERE h.address_id = $1 AND h.asset_gid = b.asset_gid AND h.block_number ${side === 'before' ? '<=' : '>'} $5 AND ${IS_CLEAN}
     ORDER BY h.block_number ${side === 'before' ? 'DESC' : ''} LIMIT 1) ${side} ON true`;

/**
 * The last reading at or before the block, plus what transfers and fees moved since. A token that was discovered later is
 * computed back from its first reading. Native coins are not: stakes and untraced calls move them too. Two readings whose
 * difference transfers and fees do not explain are both in doubt: a node may have answered for another block.
 * `isHeadOnly`: nodes tell the state at their head alone.
 * @throws ProblemError 422 where that may not be exact
 */
export async function readAccountBalancesAt(
  sql: Sql,
  at: BlockOfAddress,
  isHeadOnly: boolean,
): Promise<BalanceAt[]> {
  const { rows: waiting } = await sql.query(
    'SELECT FROM balance_reads WHERE address_id = $1 AND chain_gid = $2 AND coalesce(block_number, 0) <= $3 + 1 LIMIT 1',
    [at.id, at.chainGid, at.block],
  );
  if (waiting.length > 0)
    throw unprocessableEntity(
      `Expected balances that were read up to block ${at.block}: some are still to be read. Ask again in a moment.`,
    );
  const { rows } = await sql.query<AccountBalanceAt>(
    `WITH held AS MATERIALIZED (
       SELECT b.asset_gid, a.decimals, a.type = 'native' AS is_native, before.amount_raw AS before_raw, before.block_number AS before,
         after.amount_raw AS after_raw, after.block_number AS after
       FROM ${SHOWN_BALANCES} ${readingSql('before')} ${readingSql('after')}
       WHERE b.chain_gid = $4 AND EXISTS (SELECT FROM balance_history h WHERE h.address_id = $1 AND h.asset_gid = b.asset_gid)),
     -- Far apart are only readings between which little moved.
     mine AS MATERIALIZED (
       SELECT x.id, x.block_number, x.fee_payer, x.fee_asset_gid, x.fee_amount_raw FROM transactions x
       WHERE x.project_id = $2 AND x.chain_gid = $4 AND x.status <> 'reorged'
         AND x.block_number > (SELECT min(coalesce(before, $5)) FROM held) AND x.block_number <= (SELECT max(coalesce(after, $5)) FROM held)
         AND EXISTS (SELECT FROM transaction_addresses t WHERE t.address_id = $1 AND t.transaction_id = x.id)),
     moved AS (
       SELECT h.asset_gid, coalesce(sum(m.amount) FILTER (WHERE x.block_number <= $5), 0) AS until_then,
         coalesce(sum(m.amount) FILTER (WHERE x.block_number > $5), 0) AS since
       FROM held h JOIN mine x ON x.block_number > coalesce(h.before, $5) AND x.block_number <= coalesce(h.after, $5)
       CROSS JOIN LATERAL (
         SELECT CASE WHEN f.to_address = $3 THEN f.amount_raw ELSE 0 END - CASE WHEN f.from_address = $3 THEN f.amount_raw ELSE 0 END AS amount
           FROM transfers f WHERE f.transaction_id = x.id AND f.asset_gid = h.asset_gid
         UNION ALL
         SELECT -x.fee_amount_raw WHERE x.fee_payer = $3 AND x.fee_asset_gid = h.asset_gid) m
       GROUP BY h.asset_gid)
     SELECT h.asset_gid, h.decimals, h.before, h.after,
       coalesce(h.before_raw + coalesce(m.until_then, 0), h.after_raw - coalesce(m.since, 0))::text AS amount_raw,
       coalesce(h.before, CASE WHEN NOT h.is_native THEN h.after END) IS NOT NULL
         AND coalesce(h.after_raw - h.before_raw = coalesce(m.until_then, 0) + coalesce(m.since, 0), true)
         -- A reading showed what nothing explains, and a second one has not decided yet.
         AND NOT EXISTS (SELECT FROM balance_differences d WHERE d.address_id = $1 AND d.asset_gid = h.asset_gid AND coalesce(d.since_number, -1) < $5) AS is_certain
     FROM held h LEFT JOIN moved m USING (asset_gid) ORDER BY h.asset_gid`,
    [at.id, at.projectId, at.address, at.chainGid, at.block, isHeadOnly],
  );
  const doubt = rows.find((row) => !row.is_certain);
  if (doubt !== undefined)
    throw unprocessableEntity(
      `Expected a block at which all balances are certain: that of ${doubt.asset_gid} ${describe(doubt)}.`,
    );
  return rows;
}

function describe({ before, after }: AccountBalanceAt): string {
  return before === null || after === null
    ? 'was not read up to there, or only just before a block that moved it'
    : `changed between its readings at ${before} and ${after} by more than transfers and fees, or a reading of it is checked again`;
}

/**
 * The coins that were unspent after the block.
 * @throws ProblemError 422 while coins from before the address was watched are not all known
 */
export async function readCoinBalancesAt(sql: Sql, at: BlockOfAddress): Promise<BalanceAt[]> {
  const { rows: searches } = await sql.query<{ status: string }>(
    `SELECT status FROM address_backfills WHERE address_id = $1 AND chain_gid = $2 AND status <> 'complete'`,
    [at.id, at.chainGid],
  );
  if (searches[0] !== undefined)
    throw unprocessableEntity(
      `Expected all coins of the address to be known: the search for earlier ones is ${searches[0].status}. See its backfills.`,
    );
  const { rows } = await sql.query<BalanceAt>(
    `SELECT b.asset_gid, a.decimals, (
       SELECT coalesce(sum(u.amount_raw), 0) FROM utxos u
       WHERE u.chain_gid = $4 AND u.address = $3 AND u.block_number <= $5
         AND (u.spent_block_number IS NULL OR u.spent_block_number > $5))::text AS amount_raw
     FROM ${SHOWN_BALANCES} WHERE b.chain_gid = $4`,
    [at.id, at.projectId, at.address, at.chainGid, at.block],
  );
  return rows;
}
