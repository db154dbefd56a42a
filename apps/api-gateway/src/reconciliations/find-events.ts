// SPDX-License-Identifier: Apache-2.0
import { eventIdOf, eventTypesOn, type TransactionEventType } from '@chainwatch/events';
import type { Sql } from '@chainwatch/data/db';
import { findTransactions, NO_TRANSACTION } from './find-transactions.ts';
import { closeRows } from './store-outcomes.ts';
import { FIRST_ID, type Progress, type Work } from './work.ts';

/**
 * The next part of the phase `events`: first what was detected while the ledger arrived, then rows that name an event.
 * @param limit rows, or transactions, of one part
 */
export async function findEvents(sql: Sql, work: Work, limit: number): Promise<Progress> {
  return (await lookUpLate(sql, work, limit)) ?? compareIds(sql, work, limit);
}

/** Before every transaction: `after_id` ends in the id of a row then, in hexadecimal, and what follows begins at the first one. */
const BEFORE_ALL = '-infinity';
const ROW_DIGITS = 12;
const ROW_PREFIX = '00000000-0000-0000-0000-';

interface Row {
  readonly id: number;
  readonly chain_gid: string | null;
  readonly hash: string | null;
  readonly reason: string | null;
}

/**
 * Looks up once more what the project did not have when its batch was stored: what was detected while the rest of the ledger
 * arrived is there now.
 * @returns undefined: all of it was looked up
 */
async function lookUpLate(sql: Sql, work: Work, limit: number): Promise<Progress | undefined> {
  const { id, project_id: projectId, after_id, after_time } = work;
  if (after_time !== null && after_time !== BEFORE_ALL) return undefined;
  const after = after_id === null ? 0 : Number.parseInt(after_id.slice(-ROW_DIGITS), 16);
  const { rows } = await sql.query<Row>(
    `SELECT id, chain_gid, hash, reason FROM reconciliation_rows
     WHERE reconciliation_id = $1 AND class = 'missing_on_chain' AND id > $2 ORDER BY id LIMIT $3`,
    [id, after, limit],
  );
  const last = rows.at(-1);
  if (last === undefined) return undefined;
  const found = await findTransactions(
    sql,
    projectId,
    rows.flatMap(({ id: key, chain_gid: chainGid, hash, reason }) =>
      chainGid === null || hash === null || reason !== NO_TRANSACTION ? [] : [{ key, chainGid, hash }],
    ),
  );
  if (found.size > 0)
    await sql.query(
      `UPDATE reconciliation_rows r SET class = NULL, reason = NULL, transaction_id = v.transaction_id
       FROM unnest($1::bigint[], $2::uuid[]) AS v (id, transaction_id) WHERE r.id = v.id`,
      [[...found.keys()], [...found.values()]],
    );
  return {
    ...{ phase: 'events', afterTime: BEFORE_ALL },
    afterId: `${ROW_PREFIX}${last.id.toString(16).padStart(ROW_DIGITS, '0')}`,
    counts: { missing_on_chain: -found.size },
  };
}

/** Their ids can be made again from the transaction (decisions.md §4); those of progress would take its confirmations. */
const TYPES = (['tx.detected', 'tx.confirmed', 'tx.reorged'] as const).flatMap(
  (subject) => eventTypesOn(subject) as TransactionEventType[],
);

/** As the partial index has it. */
const UNKNOWN_EVENT = 'event_id IS NOT NULL AND transaction_id IS NULL AND class IS NULL';

/** Rows that name an event which is not stored any more: compares its id with those of all transactions of the project. */
async function compareIds(sql: Sql, work: Work, limit: number): Promise<Progress> {
  const { id, project_id: projectId, after_id, after_time, received_at } = work;
  const { rowCount: left } = await sql.query(
    `SELECT FROM reconciliation_rows WHERE reconciliation_id = $1 AND ${UNKNOWN_EVENT} LIMIT 1`,
    [id],
  );
  if (left === 0) return { phase: 'rows', afterId: null, afterTime: null };
  const { rows } = await sql.query<{
    id: string;
    chain_gid: string;
    hash: string;
    epoch: number;
    detected_at: string;
  }>(
    `SELECT id, chain_gid, hash, epoch, detected_at::text FROM transactions
     WHERE project_id = $1 AND detected_at <= $2 AND ($3::timestamptz IS NULL OR (detected_at, id) > ($3, $4::uuid))
     ORDER BY detected_at, id LIMIT $5`,
    [projectId, received_at, after_time, after_id, limit],
  );
  const last = rows.at(-1);
  if (last === undefined) {
    const closed = await closeRows(sql, {
      id,
      rows: UNKNOWN_EVENT,
      reason: 'event: the project has no transaction with this event',
    });
    // Behind the end of time nothing is read again.
    return { phase: 'events', afterId: after_id ?? FIRST_ID, afterTime: 'infinity', ...closed };
  }
  const ids = rows.flatMap(({ id: transactionId, chain_gid: chainGid, hash, epoch }) =>
    TYPES.flatMap((type) =>
      Array.from({ length: epoch + 1 }, (_, past) => [
        eventIdOf({ projectId, type, chainGid, hash, epoch: past }),
        transactionId,
      ]),
    ),
  );
  await sql.query(
    `UPDATE reconciliation_rows r SET transaction_id = v.transaction_id FROM unnest($2::uuid[], $3::uuid[]) v (event_id, transaction_id)
     WHERE r.reconciliation_id = $1 AND r.event_id = v.event_id AND r.event_id IS NOT NULL AND r.transaction_id IS NULL AND r.class IS NULL`,
    [id, ids.map(([event]) => event), ids.map(([, transaction]) => transaction)],
  );
  return { phase: 'events', afterId: last.id, afterTime: last.detected_at };
}
