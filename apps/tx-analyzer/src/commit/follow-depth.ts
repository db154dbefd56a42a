// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/db';
import { isItemFault } from '@chainwatch/quarantine';
import type { ChainContext } from '../model/chain-context.ts';
import { isHolding, type ChainCursor } from '../model/chain-cursor.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import { confirmByDepth, IS_DUE_BY_DEPTH } from './confirm-transactions.ts';
import { IS_IN_PROGRESS, IS_PROGRESS_ASKED, tellProgress, waitingOf } from './tell-progress.ts';

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
