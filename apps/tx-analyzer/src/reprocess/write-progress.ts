// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import type { ChainContext } from '../model/chain-context.ts';
import { DECIMALS_INCIDENT } from '../match/correct-token.ts';
import { writeUnknowns } from '../commit/write-unknowns.ts';
import { findLastSpender } from '../utxo/unproved-coins.ts';
import { EVIDENCE_OVERDUE } from '../commit/end-settling.ts';

/**
 * Stores, in an open transaction, that blocks below `nextBlock` are done. The request grows to the blocks of transactions
 * that lacked evidence for what they spend, where that is proved now. A completed request closes the incidents
 * whose blocks it read from first to last without meeting their kinds again. What was told with wrong decimals stays told.
 */
export async function writeProgress(
  sql: Sql,
  chain: ChainContext,
  {
    requestId,
    nextBlock,
    blocks,
  }: { readonly requestId: string; readonly nextBlock: number; readonly blocks: readonly Block[] },
): Promise<void> {
  const kinds = blocks.flatMap(({ unknowns = [], verification }) => [
    ...unknowns.map(({ kind }) => kind),
    ...(verification === 'settling' ? [EVIDENCE_OVERDUE] : []),
  ]);
  await writeUnknowns(sql, { chain, blocks, matches: [] });
  const lastSpender =
    chain.utxo &&
    (await findLastSpender(
      sql,
      chain,
      blocks.map(({ hash }) => hash),
    ));
  const { rows } = await sql.query<{
    status: string;
    from_block: number;
    to_block: number;
    found_kinds: string[];
  }>(
    `UPDATE reprocesses SET next_block = $2, found_kinds = ARRAY(SELECT DISTINCT k FROM unnest(found_kinds || $3::text[]) AS k ORDER BY k),
       to_block = GREATEST(to_block, $4), status = CASE WHEN $2 > GREATEST(to_block, $4) THEN 'done' ELSE status END, updated_at = now()
     WHERE id = $1 RETURNING status, from_block, to_block, found_kinds`,
    [requestId, nextBlock, kinds, lastSpender ?? null],
  );
  const request = rows[0];
  if (request?.status !== 'done') return;
  await sql.query(
    `UPDATE incidents SET status = 'resolved', resolved_at = now() WHERE chain_gid = $1 AND status = 'open'
       AND block_number >= $2 AND coalesce(last_block_number, block_number) <= $3 AND kind <> ALL($4) AND kind NOT LIKE '${DECIMALS_INCIDENT}%' AND kind NOT LIKE 'skipped:%'`,
    [chain.gid, request.from_block, request.to_block, request.found_kinds],
  );
}
