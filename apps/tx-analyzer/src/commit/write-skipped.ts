// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/db';
import type { ChainContext } from '../model/chain-context.ts';

/**
 * Reports blocks that were passed without a body because the operator allowed it (table skips), and marks that the balances
 * of every watched address are to be read again (readBalancesAgain): nothing else tells what these blocks did. They stay
 * `new`, so that nothing confirms them. Orphans are no part of it.
 */
export async function writeSkipped(
  sql: Sql,
  { gid }: Pick<ChainContext, 'gid'>,
  hashes: readonly string[],
): Promise<void> {
  await sql.query({
    name: 'write_skipped_blocks',
    text: `WITH hole AS MATERIALIZED (
             SELECT b.number, b.hash, s.id, s.from_block, s.to_block FROM blocks b
             JOIN skips s ON s.chain_gid = b.chain_gid AND b.number BETWEEN s.from_block AND s.to_block
             WHERE b.chain_gid = $1 AND b.hash = ANY($2) AND b.status = 'new'),
           told AS (
             INSERT INTO incidents (chain_gid, kind, block_number, block_hash, last_block_number, expected, got)
             SELECT $1, 'skipped:' || from_block || '-' || to_block, min(number), (array_agg(hash ORDER BY number))[1], max(number),
               'a node that has the block', 'a block that no node has, skipped by the operator'
             FROM hole GROUP BY from_block, to_block ORDER BY from_block, to_block
             ON CONFLICT (chain_gid, kind) WHERE status = 'open' DO UPDATE
               SET last_block_number = GREATEST(incidents.last_block_number, EXCLUDED.last_block_number))
           UPDATE skips SET reread_after = '00000000-0000-0000-0000-000000000000', reread_asked_at = now()
           WHERE id IN (SELECT id FROM hole)`,
    values: [gid, hashes],
  });
}
