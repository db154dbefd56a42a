// SPDX-License-Identifier: Apache-2.0
import type { Sql, Statement } from '@chainwatch/data/db';
import type { ChainContext } from '../model/chain-context.ts';
import { isHolding, type ChainCursor } from '../model/chain-cursor.ts';
import { confirmTransactions } from './confirm-transactions.ts';
import type { FeedEntry } from '../model/feed-entry.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import { forgetTombstones } from './tombstones.ts';

interface FinalRange {
  readonly entry: FeedEntry;
  /** Blocks up to here were final before. */
  readonly after?: number;
}

interface FinalizeStep extends FinalRange {
  /** The cursor after the step. */
  readonly cursor: ChainCursor;
  readonly now: Date;
}

/**
 * Locks the blocks that a step processes together with those that it makes final, in id order. Locked separately, the newer
 * ones would be held while the older ones are waited for, and a reorg below finality locks in the opposite order.
 */
export function lockStepSql(
  chain: ChainContext,
  { entry, after }: FinalRange,
  processedHashes: readonly string[],
): Statement {
  return {
    name: 'lock_step_blocks',
    text: `WITH locked AS MATERIALIZED (
             SELECT id FROM blocks WHERE id IN (
               SELECT id FROM blocks WHERE chain_gid = $1 AND hash = ANY($2)
               UNION ALL SELECT id FROM blocks WHERE chain_gid = $1 AND number > $3 AND number <= $4 AND status = 'processed')
             ORDER BY id FOR NO KEY UPDATE)
           SELECT count(*) FROM locked`,
    values: [chain.gid, processedHashes, after ?? -1, entry.number],
  };
}

/** Applies a `finalize` entry in an open transaction (chain's row locked): blocks and transactions become confirmed. */
export async function commitFinalize(
  sql: Sql,
  chain: ChainContext,
  { entry, after, cursor, now }: FinalizeStep,
): Promise<OutboxEvent[]> {
  await sql.query({
    name: 'confirm_blocks',
    // Locked in the order of their ids, as the ingestor does.
    text: `WITH final AS MATERIALIZED (
             SELECT id FROM blocks WHERE chain_gid = $1 AND number > $2 AND number <= $3 AND status = 'processed' ORDER BY id FOR NO KEY UPDATE)
           UPDATE blocks SET status = 'confirmed', updated_at = now() FROM final WHERE blocks.id = final.id`,
    values: [chain.gid, after ?? -1, entry.number],
  });
  const events = await confirmTransactions(sql, {
    chain,
    finality: entry,
    options: {
      headNumber: cursor.number ?? entry.number,
      isHeld: isHolding(cursor),
      now,
    },
  });
  await readFinalBalances(sql, chain, { after, entry });
  await forgetTombstones(sql, chain.gid, entry.number);
  return events;
}

/** Balances in final blocks of what projects confirm by depth, whenever they do. */
async function readFinalBalances(sql: Sql, chain: ChainContext, { after, entry }: FinalRange): Promise<void> {
  await sql.query({
    name: 'read_final_balances',
    text: `INSERT INTO balance_reads (chain_gid, address_id, asset_gid, block_number, block_hash, reason)
           SELECT DISTINCT $1, a.id, held.asset_gid, $3::bigint, $4, 'confirmed'
           FROM blocks b JOIN transactions t ON t.chain_gid = b.chain_gid AND t.block_hash = b.hash
           JOIN transaction_addresses ta ON ta.transaction_id = t.id JOIN addresses a ON a.id = ta.address_id
           CROSS JOIN LATERAL (SELECT $5::text AS asset_gid WHERE $5 IS NOT NULL
             UNION SELECT m.asset_gid FROM transfers m WHERE m.transaction_id = t.id AND a.address = ANY(m.monitored_addresses)) held
           WHERE b.chain_gid = $1 AND b.number > $2 AND b.number <= $3 AND b.status = 'confirmed'
             AND t.confirmation_depth IS NOT NULL AND t.status IN ('detected', 'confirmed')`,
    values: [chain.gid, after ?? -1, entry.number, entry.hash, chain.network.native?.gid],
  });
}
