// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { isItemFault } from '@chainwatch/data/quarantine';
import type { ChainContext } from '../model/chain-context.ts';
import { isHolding, type ChainCursor } from '../model/chain-cursor.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import { confirmByDepth, IS_DUE_BY_DEPTH } from './confirm-transactions.ts';
import { eventIdOf } from '@chainwatch/events';
import type { TransactionState } from '../model/transaction-state.ts';
import { countConfirmations, numberEvents } from './build-event.ts';
import { insertEvents } from './step-rows.ts';
import { takesPartSql, writeApart } from './write-apart.ts';
import { compareByPosition, readStates, STATE_COLUMNS, type TransactionRow } from './read-states.ts';

interface Height {
  readonly cursor: ChainCursor;
  /** Detected before: progress of these is told. Absent: of none. */
  readonly detectedBefore?: Date | undefined;
  readonly now: Date;
  /** Of the block that brought the chain to this height. */
  readonly traceparent?: string | undefined;
}

/**
 * What follows from the height of the chain alone: confirms what has the depth that its project waits for, and tells
 * the progress of the rest where somebody asks for it. A transaction of its own behind the step, which is not held
 * up by it; whoever loads the chain after a crash does it again.
 */
export async function followDepth(
  db: Sql,
  chain: ChainContext,
  { cursor, detectedBefore, now, traceparent }: Height,
): Promise<readonly OutboxEvent[]> {
  const headNumber = cursor.number;
  if (headNumber === undefined) return [];
  const { isDue, isAsked } = await look(db, chain, headNumber);
  if (!isDue && (!isAsked || detectedBefore === undefined)) return [];
  const options = { headNumber, isHeld: isHolding(cursor), now, traceparent };
  const write = (): Promise<readonly OutboxEvent[]> =>
    chain.share.transaction(async (sql) => [
      ...(isDue ? await confirmByDepth(sql, chain, options) : []),
      ...(isAsked && detectedBefore !== undefined
        ? await tellProgress(sql, chain, { ...options, detectedBefore })
        : []),
    ]);
  try {
    return await write();
  } catch (error) {
    if (!isItemFault(error)) throw error;
    // Progress at this height would not be told again: the transaction at fault is looked for at once.
    return write();
  }
}

/** One cheap question, since mostly there is nothing to do. */
async function look(
  db: Sql,
  chain: ChainContext,
  headNumber: number,
): Promise<{ isDue: boolean; isAsked: boolean }> {
  const { rows } = await db.query<{ is_due: boolean; is_asked: boolean }>({
    name: 'look_at_depth',
    text: `SELECT EXISTS (SELECT FROM transactions WHERE ${IS_DUE_BY_DEPTH}) AS is_due,
             EXISTS (SELECT FROM notification_channels c WHERE ${IS_PROGRESS_ASKED}
               AND EXISTS (SELECT FROM ${waitingOf('c.project_id')} WHERE ${IS_IN_PROGRESS})) AS is_asked`,
    values: [chain.gid, headNumber],
  });
  return { isDue: rows[0]!.is_due, isAsked: rows[0]!.is_asked };
}

const TYPE = 'transaction.progress';

/** Most progress events of a block, in all and per project; the transactions of the newest blocks are chosen. */
const EVENTS_MAX = 2_000;
const PROJECT_EVENTS_MAX = 200;
/** Rows examined per project, so that one with many does not slow the chain. */
const PROJECT_ROWS_MAX = 1_000;

/** Condition on a row `c` of notification_channels: it gets progress. Without such a channel there are no such events. */
const IS_PROGRESS_ASKED = `NOT c.is_archived AND (c.config -> 'event_types') ? '${TYPE}'`;

/**
 * The rows `t` of transactions of a project that are looked at: those of the newest blocks of the chain `$1` with the
 * head `$2`, where what waits is, so that none of other chains is passed; no row is read of a project of which nothing
 * waits on any chain.
 */
const waitingOf = (projectId: string): string =>
  `(SELECT * FROM transactions r WHERE r.project_id = ${projectId} AND r.chain_gid = $1 AND r.block_position <= $2::bigint
      AND EXISTS (SELECT FROM transactions w WHERE w.project_id = ${projectId} AND w.status = 'detected')
    ORDER BY r.block_position DESC, r.id DESC LIMIT ${PROJECT_ROWS_MAX}) t`;

/** Condition on a row `t` of transactions: it waits, on the chain `$1` with the head `$2`, for more confirmations. */
const IS_IN_PROGRESS = `t.status = 'detected' AND t.chain_gid = $1 AND NOT t.is_withheld
  AND t.block_number <= $2::bigint AND $2::bigint - t.block_number < t.required_confirmations
  AND ${takesPartSql('progress', 't')}`;

interface ProgressOptions {
  readonly headNumber: number;
  readonly isHeld: boolean;
  readonly now: Date;
  readonly traceparent: string | undefined;
  /** Later ones were told at this height as detected. */
  readonly detectedBefore: Date;
}

/**
 * Tells, in an open transaction (chain's row locked), how many confirmations transactions have at this height. A
 * number that was told before a reorg of later blocks is not told again.
 */
async function tellProgress(sql: Sql, chain: ChainContext, options: ProgressOptions): Promise<OutboxEvent[]> {
  const rows = await readWaiting(sql, chain, options);
  const all: OutboxEvent[] = [];
  await writeApart(sql, chain, {
    step: 'progress',
    list: () => Promise.resolve(rows),
    async write(some = rows) {
      all.push(...(await tellSome(sql, chain, { ...options, rows: some })));
    },
  });
  return all;
}

async function tellSome(
  sql: Sql,
  chain: ChainContext,
  {
    headNumber,
    isHeld,
    now,
    traceparent,
    rows,
  }: ProgressOptions & { readonly rows: readonly TransactionRow[] },
): Promise<readonly OutboxEvent[]> {
  const states = await readStates(sql, rows, chain.learn);
  const eventIds = states.map((state) => progressIdOf(chain, state, headNumber));
  const told = await readTold(sql, eventIds);
  const planned = states
    .filter((_, position) => !told.has(eventIds[position]!))
    .map((state) => ({ type: TYPE, state, ...(traceparent === undefined ? {} : { traceparent }) }) as const);
  const events = await numberEvents({ sql, chain }, planned, { headNumber, createdAt: now });
  await insertEvents(sql, events, isHeld);
  return events;
}

/** Projects in an order that changes with the height: where there are too many, each gets its turn. */
async function readWaiting(
  sql: Sql,
  chain: ChainContext,
  { headNumber, detectedBefore }: ProgressOptions,
): Promise<TransactionRow[]> {
  const { rows } = await sql.query<TransactionRow>({
    name: 'read_waiting',
    text: `SELECT ${STATE_COLUMNS} FROM transactions WHERE id IN (
             SELECT w.id FROM (
               SELECT DISTINCT c.project_id, md5(c.project_id::text || $2::bigint) AS turn FROM notification_channels c
               WHERE ${IS_PROGRESS_ASKED} ORDER BY turn) p
             CROSS JOIN LATERAL (
               SELECT t.id FROM ${waitingOf('p.project_id')} WHERE ${IS_IN_PROGRESS} AND t.detected_at < $3 LIMIT ${PROJECT_EVENTS_MAX}) w
             LIMIT ${EVENTS_MAX})`,
    values: [chain.gid, headNumber, detectedBefore],
  });
  return rows.sort(compareByPosition);
}

async function readTold(sql: Sql, eventIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql.query<{ event_id: string }>({
    name: 'read_told',
    text: 'SELECT event_id FROM event_keys WHERE event_id = ANY($1::uuid[])',
    values: [eventIds],
  });
  return new Set(rows.map((row) => row.event_id));
}

function progressIdOf({ gid: chainGid }: ChainContext, state: TransactionState, headNumber: number): string {
  const { projectId, hash, epoch } = state;
  const confirmations = countConfirmations(state, headNumber);
  return eventIdOf({ projectId, type: TYPE, chainGid, hash, epoch, confirmations });
}
