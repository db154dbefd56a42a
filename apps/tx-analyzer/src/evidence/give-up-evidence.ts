// SPDX-License-Identifier: Apache-2.0
import type { BlockRef } from '@chainwatch/chain-core';
import { endSettling, EVIDENCE_OVERDUE } from '../commit/end-settling.ts';
import type { WriterWork } from '../commit/writer-queue.ts';

/**
 * One transaction: the evidence for a block did not come in time. What is `settling` in it becomes `unproved`, with an
 * incident: from then on other endpoints are asked, and the operator may vouch. Nothing where a reorg came first.
 *
 * @param reason for people: what came instead
 */
export function giveUpEvidence(ref: BlockRef, reason: string): WriterWork<void> {
  return async ({ chain }) => {
    await chain.share.transaction(async (sql) => {
      const { rowCount } = await sql.query(
        `UPDATE blocks SET verification = 'unproved' WHERE chain_gid = $1 AND hash = $2 AND status IN ('processed', 'confirmed')`,
        [chain.gid, ref.hash],
      );
      if (rowCount === 0) return;
      await endSettling(sql, chain, {
        ...ref,
        unknowns: [
          { kind: EVIDENCE_OVERDUE, expected: 'a later header that proves the receipts', got: reason },
        ],
      });
      await sql.query(
        'UPDATE analyzer_states SET settled_number = GREATEST(settled_number, $2) WHERE chain_gid = $1',
        [chain.gid, ref.number],
      );
    });
    return { value: undefined, events: [] };
  };
}
