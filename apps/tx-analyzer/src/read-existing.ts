import { FencedError, type Sql } from '@chainwatch/db';
import type { ChainContext } from './chain-context.ts';
import type { ExistingTransaction } from './plan-writes.ts';
import type { TransactionStatus } from './transaction-state.ts';

interface Row {
  readonly id: string | null;
  readonly status: TransactionStatus;
  readonly epoch: number;
  readonly block_hash: string | null;
  readonly detected_at: Date;
}

/**
 * First statement of a step: locks the chain's row, proves the token (as lockWithToken does) and reads what is known of
 * the transactions, in one round trip. Nobody but the holder of the token writes these rows, so reading them with the
 * lock's own snapshot is safe.
 * @throws FencedError
 */
export async function lockAndReadExisting(sql: Sql, chain: ChainContext, ids: readonly string[]): Promise<Map<string, ExistingTransaction>> {
  const { rows } = await sql.query<Row>({
    name: 'lock_and_read_existing',
    text: `WITH owner AS MATERIALIZED (SELECT chain_gid FROM analyzer_states WHERE chain_gid = $1 AND token = $2 FOR UPDATE)
           SELECT t.id, t.status, t.epoch, t.block_hash, t.detected_at FROM owner LEFT JOIN transactions t ON t.id = ANY($3::uuid[])`,
    values: [chain.gid, chain.token, ids],
  });
  if (rows.length === 0) throw new FencedError('analyzer_states', chain.gid, chain.token);
  const existing = new Map<string, ExistingTransaction>();
  for (const { id, status, epoch, block_hash, detected_at } of rows) {
    if (id !== null) existing.set(id, { id, status, epoch, detectedAt: detected_at, ...(block_hash === null ? {} : { blockHash: block_hash }) });
  }
  return existing;
}
