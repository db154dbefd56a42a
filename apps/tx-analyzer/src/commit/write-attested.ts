// SPDX-License-Identifier: Apache-2.0
import type { Block, Transaction, Verification } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { ChainContext } from '../model/chain-context.ts';
import type { MatchedBlock } from '../model/matched-transaction.ts';
import { SqlParams } from '../model/sql-params.ts';
import { digestLogs, digestTransaction } from './digest-transaction.ts';

/** A transaction that only one node's word stands behind, in the block as that node gave it. */
export interface AttestedTransaction {
  readonly block: MatchedBlock | Block;
  readonly transaction: Transaction;
}

/**
 * Whether an endpoint of another operator is asked about what one attests: the transaction is not confirmed before that was
 * tried (incidents/ask-attested.ts).
 */
export function awaitsOthers(
  { hasOthers }: Pick<ChainContext, 'hasOthers'>,
  verification: Verification | undefined,
): boolean {
  return hasOthers && verification === 'attested';
}

/**
 * Records, in an open transaction (chain's row locked), what other operators are to be asked about. What was contradicted
 * before and is read again is asked about again; its incidents stay, so that time alone does not release it.
 */
export async function writeAttested(
  sql: Sql,
  chain: ChainContext,
  attested: readonly AttestedTransaction[],
): Promise<void> {
  const byHash = [
    ...new Map(attested.map((one) => [`${one.block.hash}|${one.transaction.hash}`, one])).values(),
  ];
  if (byHash.length === 0) return;
  const params = new SqlParams();
  const source = params.unnest(byHash, [
    ['text', ({ block }) => block.hash],
    ['text', ({ transaction }) => transaction.hash],
    ['bigint', ({ block }) => block.number],
    ['bytea', ({ transaction }) => digestTransaction(transaction)],
    ['bytea', ({ transaction }) => digestLogs(transaction)],
    ['text', ({ block }) => chain.endpointOf(block) ?? ''],
    ['text', ({ block }) => block.leavesOut ?? null],
  ]);
  await sql.query(
    `INSERT INTO unproved_transactions AS u (chain_gid, block_hash, hash, block_number, digest, logs_digest, endpoint, leaves_out, incident_ids, verdict)
     SELECT ${params.add(chain.gid, 'text')}, block_hash, hash, block_number, digest, logs_digest, endpoint, leaves_out, '{}', 'attested'
     FROM ${source} AS s (block_hash, hash, block_number, digest, logs_digest, endpoint, leaves_out)
     ON CONFLICT (chain_gid, block_hash, hash) DO UPDATE SET verdict = 'attested', digest = EXCLUDED.digest, logs_digest = EXCLUDED.logs_digest,
       endpoint = EXCLUDED.endpoint, leaves_out = EXCLUDED.leaves_out, created_at = now(), due_at = now()
     WHERE u.verdict = 'contradicted'`,
    params.values,
  );
}
