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
  readonly required_confirmations: number;
  readonly confirmation_depth: number | null;
  readonly project_id: string | null;
  readonly value: number | null;
}

/** What is known before a step writes. */
export interface Existing {
  readonly transactions: ReadonlyMap<string, ExistingTransaction>;
  /** The last sequence of each project that has one on the chain; locked until the transaction ends. */
  readonly sequences: ReadonlyMap<string, number>;
  /** Confirmations that projects ask for on the chain, as the database has them now; others leave it to the chain. */
  readonly depths: ReadonlyMap<string, number>;
}

interface Opening {
  readonly ids: readonly string[];
  /** Projects whose sequences are locked. */
  readonly counted: readonly string[];
  /** Projects whose confirmation policies are read. */
  readonly projectIds: readonly string[];
}

/**
 * Second statement of a step, after the fence: reads the known transactions and the projects' confirmation policies,
 * and locks the projects' sequences in the order of their ids, in one round trip. Only the owner of the chain writes
 * these transactions. A policy is read where it is applied, so that no replica can have an old one.
 */
export function openStepSql(chain: ChainContext, { ids, counted, projectIds }: Opening): Statement {
  return {
    name: 'lock_and_read_existing',
    text: `WITH counters AS MATERIALIZED (SELECT project_id, value FROM project_sequences
               WHERE chain_gid = $1 AND project_id = ANY($3::uuid[]) ORDER BY project_id FOR NO KEY UPDATE)
           SELECT t.id, t.status, t.epoch, t.block_hash, t.detected_at, t.required_confirmations, t.confirmation_depth,
             NULL::uuid AS project_id, NULL::bigint AS value
           FROM transactions t WHERE t.id = ANY($2::uuid[])
           UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, project_id, value FROM counters
           UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, p.depth, p.project_id, NULL FROM confirmation_policies p
             WHERE p.chain_gid = $1 AND p.project_id = ANY($4::uuid[]) AND p.depth IS NOT NULL`,
    values: [chain.gid, ids, counted, projectIds],
  };
}

/** Reads the rows of `openStepSql`. */
export function readOpened(opened: readonly unknown[]): Existing {
  const transactions = new Map<string, ExistingTransaction>();
  const sequences = new Map<string, number>();
  const depths = new Map<string, number>();
  for (const row of opened as readonly Row[]) {
    const { id, project_id: projectId, value, confirmation_depth: depth } = row;
    if (projectId !== null && value !== null) sequences.set(projectId, value);
    if (projectId !== null && depth !== null) depths.set(projectId, depth);
    if (id !== null)
      transactions.set(id, {
        id,
        status: row.status,
        epoch: row.epoch,
        detectedAt: row.detected_at,
        requiredConfirmations: row.required_confirmations,
        confirmationDepth: depth ?? undefined,
        blockHash: row.block_hash ?? undefined,
      });
  }
  return { transactions, sequences, depths };
}

/** The same in a transaction that is already open, where no sequence is needed yet. */
export async function lockAndReadExisting(
  sql: Sql,
  chain: ChainContext,
  { ids, projectIds }: Omit<Opening, 'counted'>,
): Promise<Existing> {
  return readOpened((await sql.query(openStepSql(chain, { ids, projectIds, counted: [] }))).rows);
}
