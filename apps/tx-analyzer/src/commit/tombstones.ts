// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';

/**
 * The deleted addresses of transactions as they were told last, for statements: of an undone one those that its event
 * undoes, with the epoch before.
 */
export const toldTombstonesOf = (ids: string): string =>
  `(SELECT x.* FROM transaction_tombstones x JOIN transactions t ON t.id = x.transaction_id
      AND x.epoch = t.epoch - CASE WHEN t.status = 'reorged' OR t.status = 'failed' AND t.block_hash IS NULL THEN 1 ELSE 0 END
    WHERE x.transaction_id = ANY(${ids})) told`;

/**
 * Addresses that records name and no match can, because they are deleted or not monitored any more: rows of
 * (transaction_id, address), for statements. None of an undone record, which begins anew.
 */
export const unwatchedOf = (ids: string): string =>
  `SELECT x.transaction_id, x.address FROM transaction_tombstones x JOIN transactions t ON t.id = x.transaction_id AND t.epoch = x.epoch
   WHERE x.transaction_id = ANY(${ids})
   UNION ALL SELECT ta.transaction_id, a.address FROM transaction_addresses ta JOIN addresses a ON a.id = ta.address_id AND NOT a.is_monitored
   JOIN transactions t ON t.id = ta.transaction_id AND t.status IN ('pending', 'detected', 'confirmed') WHERE ta.transaction_id = ANY(${ids})`;

/** In an open transaction (chain's row locked), forgets deleted addresses of what was undone, or is final: no event of it is to come. */
export async function forgetTombstones(sql: Sql, chainGid: string, finalNumber: number): Promise<void> {
  await sql.query({
    name: 'forget_tombstones',
    text: `DELETE FROM transaction_tombstones x USING transactions t WHERE x.chain_gid = $1 AND t.id = x.transaction_id
             AND (t.epoch > x.epoch OR t.confirmed_at IS NOT NULL AND t.block_number <= $2)`,
    values: [chainGid, finalNumber],
  });
}
