// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import type { WriterWork } from '../commit/writer-queue.ts';
import { analyseAgain } from '../reprocess/analyse-again.ts';
import { EVIDENCE_OVERDUE } from '../commit/end-settling.ts';

/**
 * One transaction: the evidence for blocks came. Records that say the same are proved, and confirmed where their block is
 * final. What the evidence contradicts is undone, with the events of a reorg, and the truth is told.
 *
 * @param isNext they follow the last block that is done, so that they are done then; those that a reorg took away since
 *   are not
 */
export function settleBlocks(blocks: readonly Block[], isNext: boolean): WriterWork<void> {
  return analyseAgain(blocks, async (sql, { chain }, canonical) => {
    const last = canonical.at(-1);
    if (isNext && last !== undefined)
      await sql.query(
        'UPDATE analyzer_states SET settled_number = GREATEST(settled_number, $2) WHERE chain_gid = $1',
        [chain.gid, last.number],
      );
    if (!isNext)
      await sql.query(
        `UPDATE incidents i SET status = 'resolved', resolved_at = now() WHERE i.chain_gid = $1 AND i.kind = $2 AND i.status = 'open'
           AND NOT EXISTS (SELECT FROM blocks b WHERE b.chain_gid = i.chain_gid AND b.number BETWEEN i.block_number AND i.last_block_number
             AND b.status IN ('processed', 'confirmed') AND b.verification = 'unproved')`,
        [chain.gid, EVIDENCE_OVERDUE],
      );
  });
}
