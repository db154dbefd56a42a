import type { Sql } from '@chainwatch/db';
import type { ChainContext } from '../model/chain-context.ts';

/**
 * Reports blocks that were passed without a body because the operator allowed it (table skips), and asks for the balances of
 * every watched address: nothing else tells what these blocks did. They stay `new`, so that nothing confirms them. Orphans
 * are no part of it.
 */
export async function writeSkipped(
  sql: Sql,
  { gid, network }: Pick<ChainContext, 'gid' | 'network'>,
  hashes: readonly string[],
): Promise<void> {
  await sql.query({
    name: 'write_skipped_blocks',
    text: `WITH hole AS MATERIALIZED (
             SELECT b.number, b.hash, s.from_block, s.to_block FROM blocks b
             JOIN skips s ON s.chain_gid = b.chain_gid AND b.number BETWEEN s.from_block AND s.to_block
             WHERE b.chain_gid = $1 AND b.hash = ANY($2) AND b.status = 'new'),
           told AS (
             INSERT INTO incidents (chain_gid, kind, block_number, block_hash, last_block_number, expected, got)
             SELECT $1, 'skipped:' || from_block || '-' || to_block, min(number), (array_agg(hash ORDER BY number))[1], max(number),
               'a node that has the block', 'a block that no node has, skipped by the operator'
             FROM hole GROUP BY from_block, to_block ORDER BY from_block, to_block
             ON CONFLICT (chain_gid, kind) WHERE status = 'open' DO UPDATE
               SET last_block_number = GREATEST(incidents.last_block_number, EXCLUDED.last_block_number))
           INSERT INTO balance_reads (chain_gid, address_id, reason)
           SELECT $1, a.id, 'imported' FROM addresses a
           WHERE a.chain_family = $3 AND a.is_monitored AND EXISTS (SELECT FROM hole)
             AND NOT EXISTS (SELECT FROM balance_reads q WHERE q.address_id = a.id AND q.chain_gid = $1 AND q.reason = 'imported')`,
    values: [gid, hashes, network.family],
  });
}
