import type { Sql, Statement } from '@chainwatch/db';
import type { ChainContext } from '../model/chain-context.ts';
import type { ExistingTransaction } from './plan-writes.ts';
import type { TransactionStatus } from '../model/transaction-state.ts';

interface Row {
  readonly id: string | null;
  readonly status: TransactionStatus;
  readonly epoch: number;
  readonly block_hash: string | null;
  readonly detected_at: Date;
  readonly project_id: string | null;
  readonly value: number;
}

/** What is known before a step writes. */
export interface Existing {
  readonly transactions: ReadonlyMap<string, ExistingTransaction>;
  /** The last sequence of each project that has one on the chain; locked until the transaction ends. */
  readonly sequences: ReadonlyMap<string, number>;
}

/**
 * Second statement of a step, after the fence: reads the known transactions and locks the projects' sequences in
 * the order of their ids, in one round trip. Only the owner of the chain writes these transactions.
 */
export function openStepSql(
  chain: ChainContext,
  ids: readonly string[],
  projectIds: readonly string[],
): Statement {
  return {
    name: 'lock_and_read_existing',
    text: `WITH counters AS MATERIALIZED (SELECT project_id, value FROM project_sequences
               WHERE chain_gid = $1 AND project_id = ANY($3::uuid[]) ORDER BY project_id FOR NO KEY UPDATE)
           SELECT t.id, t.status, t.epoch, t.block_hash, t.detected_at, NULL::uuid AS project_id, NULL::bigint AS value
           FROM transactions t WHERE t.id = ANY($2::uuid[])
           UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, project_id, value FROM counters`,
    values: [chain.gid, ids, projectIds],
  };
}

/** Reads the rows of `openStepSql`. */
export function readOpened(opened: readonly unknown[]): Existing {
  const transactions = new Map<string, ExistingTransaction>();
  const sequences = new Map<string, number>();
  for (const { id, status, epoch, block_hash, detected_at, project_id, value } of opened as readonly Row[]) {
    if (project_id !== null) sequences.set(project_id, value);
    if (id !== null)
      transactions.set(id, {
        id,
        status,
        epoch,
        detectedAt: detected_at,
        ...(block_hash === null ? {} : { blockHash: block_hash }),
      });
  }
  return { transactions, sequences };
}

/** The same in a transaction that is already open, where no sequence is needed yet. */
export async function lockAndReadExisting(
  sql: Sql,
  chain: ChainContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ExistingTransaction>> {
  return readOpened((await sql.query(openStepSql(chain, ids, []))).rows).transactions;
}
