// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';

/**
 * A block that a later header proves, if this header is on the chain that we follow. A node can make up headers as it
 * likes, so one that we do not have proves nothing: the block is `settling` then. Headers below the first block that was
 * followed cannot be compared.
 */
export async function keepOwnEvidence(sql: Sql, chainGid: string, block: Block): Promise<Block> {
  const { provedBy, ...rest } = block;
  if (provedBy === undefined) return block;
  const { rows } = await sql.query<{ is_own: boolean }>({
    name: 'find_evidence',
    text: `SELECT EXISTS (SELECT FROM blocks WHERE chain_gid = $1 AND number = $2 AND hash = $3 AND status IN ('new', 'processed', 'confirmed'))
             OR EXISTS (SELECT FROM packed_blocks($1, $2, $2) WHERE hash = $3)
             OR $2 < coalesce(least((SELECT min(number) FROM blocks WHERE chain_gid = $1 AND status IN ('new', 'processed', 'confirmed')),
                 (SELECT number FROM analysed_blocks($1, 0, 9223372036854775807, 1))), 0) AS is_own`,
    values: [chainGid, provedBy.number, provedBy.hash],
  });
  if (rows[0]!.is_own) return block;
  return {
    ...rest,
    verification: 'settling',
    transactions: block.transactions.map((transaction) => ({
      ...transaction,
      verification: transaction.verification ?? 'settling',
    })),
  };
}
