// SPDX-License-Identifier: Apache-2.0
import type { BlockRef, UnknownPart } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { ChainContext } from '../model/chain-context.ts';
import { recordTaken } from './write-unknowns.ts';

/** Kind of the incident of blocks whose evidence did not come in time. */
export const EVIDENCE_OVERDUE = 'evidence:overdue';

/**
 * In an open transaction (chain's row locked), opens the incidents of a block without evidence. What is still `settling` in
 * it becomes `unproved` and waits for them.
 */
export async function endSettling(
  sql: Sql,
  chain: ChainContext,
  block: BlockRef & { readonly unknowns?: readonly UnknownPart[] },
): Promise<void> {
  const incidentIds = await recordTaken(sql, chain, block);
  await sql.query(
    `UPDATE transactions SET verification = 'unproved' WHERE chain_gid = $1 AND block_hash = $2 AND verification = 'settling'`,
    [chain.gid, block.hash],
  );
  // What endpoints told differently before has no incident that could be accepted.
  await sql.query(
    `UPDATE unproved_transactions SET verdict = CASE verdict WHEN 'settling' THEN 'waiting' ELSE verdict END, incident_ids = $3
     WHERE chain_gid = $1 AND block_hash = $2 AND (verdict = 'settling' OR verdict = 'contradicted' AND incident_ids = '{}')`,
    [chain.gid, block.hash, incidentIds],
  );
}
