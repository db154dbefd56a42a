import type { Sql } from '@chainwatch/db';
import { BalanceReads, insertBalanceReadsSql } from '../model/balance-read.ts';
import type { ChainContext } from '../model/chain-context.ts';
import { insertEvents } from './insert-events.ts';
import { numberEvents } from './number-events.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import {
  compareByPosition,
  heldPairs,
  readStates,
  STATE_COLUMNS,
  type TransactionRow,
} from './read-states.ts';
import { SqlParams } from '../model/sql-params.ts';

const CHUNK_ROWS = 1_000;

export interface Finality {
  /** Blocks up to this number are final. */
  readonly number: number;
  /** Absent when not known: balances are then read at the head. */
  readonly hash?: string;
  readonly traceparent?: string;
}

interface ConfirmOptions {
  /** Height that confirmations are counted at. */
  readonly headNumber: number;
  readonly isHeld: boolean;
  readonly now: Date;
}

/** Marks what is final in an open transaction (chain's row locked), with events and balance reads. Events come in block order. */
export async function confirmTransactions(
  sql: Sql,
  chain: ChainContext,
  finality: Finality,
  options: ConfirmOptions,
): Promise<OutboxEvent[]> {
  const all: OutboxEvent[] = [];
  const reads = new BalanceReads();
  const block = finality.hash === undefined ? undefined : { number: finality.number, hash: finality.hash };
  for (;;) {
    const rows = await markConfirmed(sql, chain, finality.number, options.now);
    // A failed transaction was published as failed: that it is final now is no event.
    const states = await readStates(
      sql,
      rows.filter((row) => !row.is_failed),
      chain.learn,
    );
    const planned = states.map(
      (state) =>
        ({
          type: 'transaction.confirmed',
          state,
          traceparent: finality.traceparent,
        }) as const,
    );
    const events = await numberEvents({ sql, chain }, planned, {
      headNumber: options.headNumber,
      createdAt: options.now,
    });
    await insertEvents(sql, events, options.isHeld);
    for (const state of states) {
      for (const pair of heldPairs(chain, state)) reads.add({ ...pair, block, reason: 'confirmed' });
    }
    all.push(...events);
    if (rows.length < CHUNK_ROWS) break;
  }
  if (reads.list().length > 0) {
    const params = new SqlParams();
    await sql.query({
      name: 'insert_reads',
      text: insertBalanceReadsSql(params, chain.gid, reads.list()),
      values: params.values,
    });
  }
  return all;
}

async function markConfirmed(
  sql: Sql,
  chain: ChainContext,
  number: number,
  now: Date,
): Promise<TransactionRow[]> {
  const { rows } = await sql.query<TransactionRow>({
    name: 'mark_confirmed',
    text: `UPDATE transactions SET status = CASE WHEN is_failed THEN status ELSE 'confirmed' END, confirmed_at = $3
           WHERE id IN (SELECT id FROM transactions WHERE chain_gid = $1 AND block_number <= $2 AND confirmed_at IS NULL
                          AND status IN ('detected', 'failed') AND NOT is_withheld ORDER BY block_number LIMIT ${CHUNK_ROWS})
           RETURNING ${STATE_COLUMNS}`,
    values: [chain.gid, number, now],
  });
  return rows.sort(compareByPosition);
}
