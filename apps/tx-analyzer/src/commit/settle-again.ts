// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { ChainContext } from '../model/chain-context.ts';
import { verificationSql } from '../model/verification-sql.ts';

/** Blocks that one header proves at most. */
const PROVED_BLOCKS_MAX = 256;

/** The blocks that `settleAgain` writes to become rows (ADR 22). */
export async function unpackProved(sql: Sql, chainGid: string, lowest: number): Promise<void> {
  await sql.query('SELECT unpack_blocks($1, $2, $3)', [
    chainGid,
    Math.max(lowest - PROVED_BLOCKS_MAX, 0),
    Math.max(lowest - 1, 0),
  ]);
}

/**
 * In an open transaction (chain's row locked): a reorg took away the headers from `lowest` on. One of them may have proved
 * blocks below, which are `settling` again and are read again. What was told of them stays until the evidence contradicts it.
 */
export async function settleAgain(sql: Sql, chain: Pick<ChainContext, 'gid'>, lowest: number): Promise<void> {
  const before = lowest - PROVED_BLOCKS_MAX - 1;
  await sql.query(
    `WITH again AS (
       UPDATE blocks SET verification = 'settling' WHERE chain_gid = $1 AND number > $2 AND number < $3
         AND status IN ('processed', 'confirmed') AND coalesce(verification, 'proved') = 'proved' RETURNING hash)
     UPDATE transactions t SET verification = 'settling', is_withheld = t.status = 'detected' FROM again
     WHERE t.chain_gid = $1 AND t.block_hash = again.hash AND t.status IN ('detected', 'confirmed', 'failed')
       AND ${verificationSql('t.')} = 'proved'`,
    [chain.gid, before, lowest],
  );
  await sql.query(
    'UPDATE analyzer_states SET settled_number = $2 WHERE chain_gid = $1 AND settled_number > $2',
    [chain.gid, before],
  );
}
