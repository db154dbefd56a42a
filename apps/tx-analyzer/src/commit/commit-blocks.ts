// SPDX-License-Identifier: Apache-2.0
import type { Verification } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { BlocksStep } from '../model/blocks-step.ts';
import { allocateSequences } from '@chainwatch/data/outbox';
import { renewSql } from '@chainwatch/data/ownership';
import type { ChainContext, StepTransaction } from '../model/chain-context.ts';
import { isHolding, statusOf, type ChainCursor } from '../model/chain-cursor.ts';
import { markUsed } from './mark-used.ts';
import { mergeRecords } from './merge-records.ts';
import { buildEvents } from './build-event.ts';
import { planWrites, type Existing, type WritePlan } from './plan-writes.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import { SqlParams } from '../model/sql-params.ts';
import {
  addSequencesSql,
  insertAssetsSql,
  insertEventsSql,
  insertReadsSql,
  insertTransactionAddressesSql,
  insertTransfersSql,
  upsertBlockChangesSql,
  upsertTransactionsSql,
} from './step-rows.ts';
import type { TransactionState } from '../model/transaction-state.ts';
import { unwatchedOf } from './tombstones.ts';
import { writeUtxos } from '../utxo/write-utxos.ts';

export interface Advance {
  readonly cursor: ChainCursor;
  readonly watchXid: bigint;
  /** Whether the chain is catching up (`ChainFeed.isFarBehind`). */
  readonly isFarBehind: boolean;
  /** Blocks that are analysed now. */
  readonly processed: readonly ProcessedBlock[];
}

export interface ProcessedBlock {
  readonly hash: string;
  readonly verification: Verification;
}

interface BlocksCommit {
  readonly step: BlocksStep;
  readonly existing: Existing;
  readonly advance: Advance;
}

/** Writes a group of blocks in an open transaction: records, outbox, work for the balance service, cursor. */
export async function commitBlocks(
  { sql, chain, now }: StepTransaction,
  { step, existing, advance }: BlocksCommit,
): Promise<OutboxEvent[]> {
  const { confirmation } = chain.network;
  const { retroactive, matches } = step;
  const plan = planWrites(
    { retroactive, matches, existing: existing.transactions },
    {
      chainGid: chain.gid,
      coinbaseMaturity: chain.utxo?.codec.coinbaseMaturityOf(chain.network),
      requiredConfirmations: confirmation.depth,
      depths: existing.depths,
      now,
    },
  );
  const counts = new Map<string, number>();
  const numbers = plan.events.map(({ state: { projectId } }) => {
    const count = (counts.get(projectId) ?? 0) + 1;
    counts.set(projectId, count);
    return (existing.sequences.get(projectId) ?? 0) + count;
  });
  // A counter is created with a project's first event; existing counters are locked already.
  const isCounted = [...counts.keys()].every((projectId) => existing.sequences.has(projectId));
  const sequences = isCounted
    ? numbers
    : await allocateSequences(
        sql,
        chain.gid,
        plan.events.map(({ state }) => state.projectId),
      );
  const events = buildEvents(chain, plan.events, {
    sequences,
    headNumber: advance.cursor.number ?? 0,
    createdAt: now,
  });
  if (plan.resetIds.length > 0) await clearRecords(sql, plan.resetIds);
  const merged = plan.merges.length === 0 ? [] : await mergeRecords(sql, chain, plan.merges);
  if (step.utxos !== undefined) await writeUtxos(sql, chain, step.utxos);
  if (step.usedIds.length > 0) await markUsed(sql, step.usedIds);
  // A statement that writes nothing costs the database as much as a row: its plan is set up and its triggers
  // are called.
  const all = listParts(chain, step, {
    plan,
    merged,
    events,
    counts: isCounted ? counts : new Map(),
    isHeld: isHolding(advance.cursor),
  });
  const parts = all.filter(({ rows }) => rows.length > 0);
  const params = new SqlParams();
  const text = advanceCursorSql(params, {
    chain,
    advance,
    ctes: parts.map(({ name, write }) => `new_${name} AS (${write(params)})`),
  });
  sql.send({
    // One digit per part: each combination of parts is a statement of its own. PostgreSQL cuts names after 63
    // bytes.
    name: `commit_blocks_${all.map((part) => (parts.includes(part) ? 1 : 0)).join('')}`,
    text,
    values: params.values,
  });
  return events;
}

interface Written {
  readonly plan: WritePlan;
  /** Records that gain something, with their complete content. */
  readonly merged: readonly TransactionState[];
  readonly events: readonly OutboxEvent[];
  /** By project. */
  readonly counts: ReadonlyMap<string, number>;
  readonly isHeld: boolean;
}

/** A part of the statement that writes the cursor. */
interface Part {
  readonly name: string;
  readonly rows: readonly unknown[];
  write(params: SqlParams): string;
}

function listParts(
  chain: ChainContext,
  step: BlocksStep,
  { plan, merged, events, counts, isHeld }: Written,
): readonly Part[] {
  const states = [...plan.upserts, ...merged];
  return [
    {
      name: 'assets',
      rows: step.newAssets,
      write: (params) => insertAssetsSql(params, chain, step.newAssets),
    },
    {
      name: 'transactions',
      rows: plan.upserts,
      write: (params) => upsertTransactionsSql(params, chain, plan.upserts),
    },
    {
      name: 'moves',
      rows: states.flatMap(({ transfers }) => transfers),
      write: (params) => insertTransfersSql(params, chain, states),
    },
    { name: 'participants', rows: states, write: (params) => insertTransactionAddressesSql(params, states) },
    { name: 'events', rows: events, write: (params) => insertEventsSql(params, events, isHeld) },
    { name: 'counts', rows: [...counts], write: (params) => addSequencesSql(params, chain, counts) },
    {
      name: 'changes',
      rows: step.changes,
      write: (params) => upsertBlockChangesSql(params, chain.gid, step.changes),
    },
    { name: 'reads', rows: step.reads, write: (params) => insertReadsSql(params, chain.gid, step) },
  ];
}

/**
 * The transaction is written anew: its rows from the earlier block or the mempool are deleted, but what was told of addresses that
 * are no longer watched and that nothing finds again.
 */
export async function clearRecords(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.query(
    `WITH unwatched AS MATERIALIZED (${unwatchedOf('$1::uuid[]')}),
     moves AS (
       DELETE FROM transfers f WHERE f.transaction_id = ANY($1::uuid[])
         AND NOT EXISTS (SELECT FROM unwatched u WHERE u.transaction_id = f.transaction_id AND (f.monitored_addresses = '{}' OR u.address = ANY(f.monitored_addresses))))
     DELETE FROM transaction_addresses ta USING addresses a WHERE ta.transaction_id = ANY($1::uuid[]) AND a.id = ta.address_id
       AND NOT EXISTS (SELECT FROM unwatched u WHERE u.transaction_id = ta.transaction_id AND u.address = a.address)`,
    [ids],
  );
}

/**
 * Writes the cursor and the statuses of its blocks in one statement that is its own fence; a step without hits
 * needs no other. Blocks are locked in the order of their ids, as the ingestor does.
 * @throws ShareLostError
 */
export async function advanceAlone(chain: ChainContext, advance: Advance): Promise<void> {
  const { kind, share, owner, token } = chain.share.claim;
  const params = new SqlParams();
  const renewal = renewSql([
    params.add(kind, 'text'),
    params.add(share, 'text'),
    params.add(owner, 'uuid'),
    params.add(token, 'bigint'),
  ]);
  const text = advanceSql(params, { advance, owner: `owner (chain_gid) AS (${renewal})` });
  await chain.share.query(
    { name: 'advance_cursor', text: `${text} RETURNING 1`, values: params.values },
    (rows) => rows.length === 1,
  );
}

/** The same in a transaction of the owner. */
export async function advanceCursor(sql: Sql, chain: ChainContext, advance: Advance): Promise<void> {
  const params = new SqlParams();
  await sql.query({
    name: 'advance_cursor_in_step',
    text: advanceCursorSql(params, { chain, advance }),
    values: params.values,
  });
}

/** The statement, with `ctes` (each `name AS (…)`) run beside it. */
function advanceCursorSql(
  params: SqlParams,
  {
    chain,
    advance,
    ctes = [],
  }: { readonly chain: ChainContext; readonly advance: Advance; readonly ctes?: readonly string[] },
): string {
  const owner = `owner (chain_gid) AS (VALUES (${params.add(chain.gid, 'text')}))`;
  return advanceSql(params, { advance, owner, ctes });
}

function advanceSql(
  params: SqlParams,
  {
    advance,
    owner,
    ctes = [],
  }: { readonly advance: Advance; readonly owner: string; readonly ctes?: readonly string[] },
): string {
  const { cursor } = advance;
  const number = params.add(cursor.number ?? null, 'bigint');
  const read = params.unnest(advance.processed, [
    ['text', ({ hash }) => hash],
    ['text', ({ verification }) => verification],
  ]);
  return `WITH ${owner},
    read (hash, verification) AS (SELECT * FROM ${read}),
    done AS MATERIALIZED (SELECT id, hash FROM blocks WHERE chain_gid = (SELECT chain_gid FROM owner)
      AND hash = ANY(${params.add(
        advance.processed.map(({ hash }) => hash),
        'text[]',
      )}) AND status = 'new' ORDER BY id FOR NO KEY UPDATE),
    processed AS (UPDATE blocks SET status = 'processed', verification = read.verification, updated_at = now() FROM done, read
      WHERE blocks.id = done.id AND read.hash = done.hash)
    ${ctes.map((cte) => `, ${cte}`).join('')}
    UPDATE analyzer_states SET cursor_seq = ${params.add(cursor.seq, 'bigint')}, cursor_number = ${number},
      cursor_hash = ${params.add(cursor.hash ?? null, 'text')}, confirmed_number = ${params.add(cursor.confirmedNumber ?? null, 'bigint')},
      settled_number = CASE WHEN settled_number > coalesce(${number}, -1) THEN ${number} ELSE settled_number END,
      hold_until_seq = ${params.add(isHolding(cursor) ? cursor.holdUntilSeq : null, 'bigint')}, watch_xid = ${params.add(String(advance.watchXid), 'xid8')},
      status = ${params.add(statusOf(advance), 'text')}, reason = NULL, updated_at = now()
    WHERE chain_gid = (SELECT chain_gid FROM owner)`;
}
