import type { Sql } from '@chainwatch/db';
import type { BlocksStep } from '../model/blocks-step.ts';
import { allocateSequences } from '@chainwatch/outbox';
import { advanceCursorSql, type Advance } from './advance-cursor.ts';
import { insertBalanceReadsSql } from '../model/balance-read.ts';
import type { ChainContext, StepTransaction } from '../model/chain-context.ts';
import { isHolding } from '../model/chain-cursor.ts';
import { insertEventsSql } from './insert-events.ts';
import { markUsed } from './mark-used.ts';
import { mergeRecords } from './merge-records.ts';
import { buildEvents } from './number-events.ts';
import { planWrites, type WritePlan } from './plan-writes.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import type { Existing } from './read-existing.ts';
import { SqlParams } from '../model/sql-params.ts';
import {
  insertAssetsSql,
  insertTransactionAddressesSql,
  insertTransfersSql,
  upsertTransactionsSql,
} from './transaction-rows.ts';
import type { TransactionState } from '../model/transaction-state.ts';
import { writeUtxos } from '../utxo/write-utxos.ts';

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
  const text = advanceCursorSql(
    params,
    chain,
    advance,
    parts.map(({ name, write }) => `new_${name} AS (${write(params)})`),
  );
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
    { name: 'reads', rows: step.reads, write: (params) => insertReadsSql(params, chain.gid, step) },
  ];
}

function addSequencesSql(
  params: SqlParams,
  chain: ChainContext,
  counts: ReadonlyMap<string, number>,
): string {
  const source = params.unnest(
    [...counts],
    [
      ['uuid', ([projectId]) => projectId],
      ['bigint', ([, count]) => count],
    ],
  );
  return `UPDATE project_sequences p SET value = p.value + n.count FROM ${source} AS n (project_id, count)
    WHERE p.project_id = n.project_id AND p.chain_gid = ${params.add(chain.gid, 'text')}`;
}

/**
 * Reads the holders of a touched asset only if the asset is active. It does not check for holders: an import may be
 * reading the first one just before this block, and then only this row records that the balance changed.
 */
function insertReadsSql(params: SqlParams, chainGid: string, step: BlocksStep): string {
  const fresh = step.newAssets.filter((asset) => asset.status === 'active').map((asset) => asset.gid);
  return `${insertBalanceReadsSql(params, chainGid, step.reads)}
    WHERE r.address_id IS NOT NULL OR r.asset_gid = ANY(${params.add(fresh, 'text[]')})
      OR EXISTS (SELECT 1 FROM assets a WHERE a.gid = r.asset_gid AND a.status = 'active')`;
}

/** The transaction is written anew: its rows from the earlier block or the mempool are deleted. */
export async function clearRecords(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.query('DELETE FROM transfers WHERE transaction_id = ANY($1::uuid[])', [ids]);
  await sql.query('DELETE FROM transaction_addresses WHERE transaction_id = ANY($1::uuid[])', [ids]);
}
