// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { ChainContext } from '../model/chain-context.ts';
import { insertEvents } from './step-rows.ts';
import { numberEvents } from './build-event.ts';
import type { DroppedTransaction, PendingOutcome } from '../model/pending-outcome.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import { readStates, STATE_COLUMNS, type TransactionRow } from './read-states.ts';

const CHUNK_IDS = 1_000;

interface DropOptions {
  /** Height of the chain's head. */
  readonly headNumber: number;
  readonly isHeld: boolean;
  readonly now: Date;
}

/**
 * Publishes, in an open transaction (chain's row locked), that pending transactions failed, to every project that
 * knew them. The event has the epoch of the detection that it undoes; the record moves to the next one, because the
 * transaction may return.
 */
export async function dropPending(
  sql: Sql,
  {
    chain,
    dropped,
    options,
  }: {
    readonly chain: ChainContext;
    readonly dropped: readonly DroppedTransaction[];
    readonly options: DropOptions;
  },
): Promise<OutboxEvent[]> {
  const all: OutboxEvent[] = [];
  const records = dropped.flatMap(({ ids, replacedBy }) => [...ids].map((id) => ({ id, replacedBy })));
  for (let start = 0; start < records.length; start += CHUNK_IDS) {
    const rows = await markDropped(sql, records.slice(start, start + CHUNK_IDS));
    const states = await readStates(sql, rows, chain.learn);
    const planned = states.map(
      (state) => ({ type: 'transaction.failed', state: { ...state, epoch: state.epoch - 1 } }) as const,
    );
    const events = await numberEvents({ sql, chain }, planned, {
      headNumber: options.headNumber,
      createdAt: options.now,
    });
    await insertEvents(sql, events, options.isHeld);
    all.push(...events);
  }
  await forgetInputs(
    sql,
    chain.gid,
    dropped.map(({ hash }) => hash),
  );
  return all;
}

/**
 * Closes pending transactions that are in blocks now, in an open transaction, after the blocks' own records. A
 * record without a match in the block (its address is no longer monitored) is closed as well: it did not fail.
 */
export async function closeMined(sql: Sql, chainGid: string, mined: PendingOutcome['mined']): Promise<void> {
  const records = mined.flatMap(({ pending, block, index }) =>
    [...pending.ids].map((id) => ({ id, block, index })),
  );
  await sql.query({
    name: 'close_mined',
    text: `UPDATE transactions t SET status = 'detected', block_number = s.number, block_hash = s.hash, block_timestamp = to_timestamp(s.timestamp), tx_index = s.index
           FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::double precision[], $5::integer[]) AS s (id, number, hash, timestamp, index)
           WHERE t.id = s.id AND t.status = 'pending'`,
    values: [
      records.map(({ id }) => id),
      records.map(({ block }) => block.number),
      records.map(({ block }) => block.hash),
      records.map(({ block }) => block.timestamp),
      records.map(({ index }) => index),
    ],
  });
  await forgetInputs(
    sql,
    chainGid,
    mined.map(({ pending }) => pending.hash),
  );
}

async function markDropped(
  sql: Sql,
  records: readonly { readonly id: string; readonly replacedBy: string | undefined }[],
): Promise<TransactionRow[]> {
  const { rows } = await sql.query<TransactionRow>({
    name: 'mark_dropped',
    text: `UPDATE transactions t SET status = 'failed', epoch = epoch + 1, replaced_by = s.replacement
           FROM unnest($1::uuid[], $2::text[]) AS s (record_id, replacement) WHERE t.id = s.record_id AND t.status = 'pending'
           RETURNING ${STATE_COLUMNS}`,
    values: [records.map(({ id }) => id), records.map(({ replacedBy }) => replacedBy ?? null)],
  });
  return rows.sort((a, b) => a.detected_at.getTime() - b.detected_at.getTime());
}

async function forgetInputs(sql: Sql, chainGid: string, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  await sql.query({
    name: 'forget_inputs',
    text: 'DELETE FROM pending_inputs WHERE chain_gid = $1 AND hash = ANY($2)',
    values: [chainGid, hashes],
  });
}
