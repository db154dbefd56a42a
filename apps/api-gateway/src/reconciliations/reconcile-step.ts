// SPDX-License-Identifier: Apache-2.0
import type { Database, Sql } from '@chainwatch/data/db';
import { findEvents } from './find-events.ts';
import { matchTransaction, type Outcome, type PlacedRow } from './match-transaction.ts';
import { readMovements } from './read-movements.ts';
import { FIRST_ID, type Progress, type Work } from './work.ts';
import { CLOSED_AT_ONCE, closeRows, storeMissing, storeOutcomes, type Unclaimed } from './store-outcomes.ts';

/** Transactions of one step. */
const PAGE = 1_000;
/** Rows that name one transaction: those above are not compared. */
const ROWS_OF_TRANSACTION_MAX = 20_000;

/**
 * Does the next part of a reconciliation whose turn it is, and notes how far it came, in one transaction: a worker that is
 * killed leaves nothing behind, and the lock of its row goes with its connection. Workspaces take turns.
 * @param onWork told of the reconciliation before its part is done
 * @returns false: there is nothing to do
 */
export function reconcileStep(
  db: Database,
  onWork: (work: Work) => void = () => undefined,
): Promise<boolean> {
  const step = async (sql: Sql): Promise<boolean> => {
    const work = await takeWork(sql);
    if (work === undefined) return false;
    onWork(work);
    const progress = await PHASES[work.phase](sql, work);
    await noteProgress(sql, work, progress);
    return true;
  };
  // By indexes, because new tables look small to the planner.
  return db.transaction(step, [], { keepsPlans: true });
}

async function takeWork(sql: Sql): Promise<Work | undefined> {
  const { rows } = await sql.query<Work>(
    `SELECT id, project_id, phase, from_time, to_time, scope, include_fees, counts, after_id, after_time::text, received_at::text, failure_count
     FROM reconciliations r
     WHERE status = 'matching' AND project_id IS NOT NULL AND expires_at > now()
       AND (failure_count = 0 OR served_at < now() - failure_count * interval '5 s')
     ORDER BY (SELECT max(served_at) FROM reconciliations o WHERE o.workspace_id = r.workspace_id) NULLS FIRST, served_at NULLS FIRST, id
     LIMIT 1 FOR UPDATE OF r SKIP LOCKED`,
  );
  return rows[0];
}

const PHASES: Readonly<Record<Work['phase'], (sql: Sql, work: Work) => Promise<Progress>>> = {
  events: (sql, work) => findEvents(sql, work, pageOf(work)),
  rows: matchRows,
  books: matchBooks,
};

/** Fewer after a failure: a statement may have taken too long. */
function pageOf({ failure_count: failures }: Work): number {
  return Math.max(1, PAGE >> (3 * failures));
}

async function matchRows(sql: Sql, work: Work): Promise<Progress> {
  const { id, project_id: projectId, after_id } = work;
  const rows = await readRows(sql, work);
  const after = rows.at(-1)?.transaction_id;
  if (after === undefined) {
    const closed = await closeRows(sql, {
      id,
      rows: 'class IS NULL',
      reason: `transaction: it was removed meanwhile, or more than ${ROWS_OF_TRANSACTION_MAX.toLocaleString('en')} rows name it`,
    });
    const isDone = closed.rowsDone < CLOSED_AT_ONCE;
    return { phase: isDone ? 'books' : 'rows', afterId: isDone ? null : after_id, ...closed };
  }
  const named = new Map<string, LedgerRow[]>();
  for (const row of rows) {
    const known = named.get(row.transaction_id);
    if (known === undefined) named.set(row.transaction_id, [row]);
    else known.push(row);
  }
  const outcomes: Outcome[] = [];
  const unclaimed: Unclaimed[] = [];
  for (const transaction of await readMovements(sql, projectId, [...named.keys()])) {
    const open = named.get(transaction.id)!.filter((row) => row.class === null);
    const matched = matchTransaction(open.map(toPlaced), transaction);
    outcomes.push(...matched.outcomes);
    unclaimed.push({ transaction, movements: matched.unclaimed });
  }
  await storeOutcomes(sql, outcomes);
  const { added, isTruncated } = await storeMissing(sql, work, unclaimed);
  const counts: Record<string, number> = { missing_in_books: added };
  for (const outcome of outcomes) counts[outcome.class] = (counts[outcome.class] ?? 0) + 1;
  return { phase: 'rows', afterId: after, rowsDone: outcomes.length, counts, isTruncated };
}

interface LedgerRow {
  readonly id: number;
  readonly line: number;
  readonly transaction_id: string;
  readonly class: string | null;
  readonly address: string;
  readonly asset_gid: string;
  readonly direction: PlacedRow['direction'];
  readonly amount_raw: string;
}

function toPlaced({ id, line, direction, address, asset_gid, amount_raw }: LedgerRow): PlacedRow {
  return { id: String(id), line, direction, address, assetGid: asset_gid, amount: BigInt(amount_raw) };
}

/** The rows of the next transactions, each with all of its rows, by their lines. */
async function readRows(sql: Sql, work: Work): Promise<LedgerRow[]> {
  const limit = pageOf(work);
  const read = async (condition: string, values: readonly unknown[]): Promise<LedgerRow[]> => {
    const { rows } = await sql.query<LedgerRow>(
      `SELECT id, line, transaction_id, class, address, asset_gid, direction, amount_raw::text FROM reconciliation_rows
       WHERE reconciliation_id = $1 AND line IS NOT NULL AND ${condition}`,
      [work.id, ...values],
    );
    return rows;
  };
  const rows = await read('transaction_id > $2 ORDER BY transaction_id LIMIT $3', [
    work.after_id ?? FIRST_ID,
    limit,
  ]);
  const last = rows.at(-1)?.transaction_id;
  if (last === undefined || rows.length < limit) return byLine(rows);
  // The last one may have more rows than were read.
  const whole = rows.filter((row) => row.transaction_id !== last);
  if (whole.length > 0) return byLine(whole);
  return read('transaction_id = $2 ORDER BY line LIMIT $3', [last, ROWS_OF_TRANSACTION_MAX]);
}

/** Within their transactions. */
function byLine(rows: readonly LedgerRow[]): LedgerRow[] {
  return [...rows].sort((one, other) =>
    one.transaction_id === other.transaction_id
      ? one.line - other.line
      : one.transaction_id < other.transaction_id
        ? -1
        : 1,
  );
}

/** Movements of the project that no row of the ledger names. Those of transactions that a row names were looked at before. */
async function matchBooks(sql: Sql, work: Work): Promise<Progress> {
  const { rows } = await sql.query<{ id: string; detected_at: string; is_open: boolean }>(
    `SELECT t.id, t.detected_at::text, t.block_timestamp >= $6 AND t.block_timestamp < $7 AND NOT EXISTS (
         SELECT FROM reconciliation_rows r WHERE r.reconciliation_id = $1 AND r.transaction_id = t.id AND r.line IS NOT NULL) AS is_open
     FROM transactions t
     WHERE t.project_id = $2 AND t.detected_at <= $3 AND ($4::timestamptz IS NULL OR (t.detected_at, t.id) > ($4, $5::uuid))
     ORDER BY t.detected_at, t.id LIMIT $8`,
    [
      ...[work.id, work.project_id, work.received_at, work.after_time, work.after_id ?? FIRST_ID],
      ...[work.from_time, work.to_time, pageOf(work)],
    ],
  );
  const last = rows.at(-1);
  if (last === undefined) return { phase: 'completed' };
  const ids = rows.filter(({ is_open: isOpen }) => isOpen).map(({ id }) => id);
  const transactions = ids.length === 0 ? [] : await readMovements(sql, work.project_id, ids);
  const unclaimed = transactions.map((transaction) => ({ transaction, movements: transaction.movements }));
  const { added, isTruncated } = await storeMissing(sql, work, unclaimed);
  return {
    ...{ phase: 'books', afterId: last.id, afterTime: last.detected_at },
    ...{ counts: { missing_in_books: added }, isTruncated },
  };
}

async function noteProgress(
  sql: Sql,
  { id, counts: before }: Work,
  { phase, afterId = null, afterTime = null, rowsDone = 0, counts = {}, isTruncated = false }: Progress,
): Promise<void> {
  const sums: Record<string, number> = { ...before };
  for (const [name, count] of Object.entries(counts)) if (count !== 0) sums[name] = (sums[name] ?? 0) + count;
  await sql.query(
    `UPDATE reconciliations SET phase = coalesce(nullif($2, 'completed'), phase), after_id = $3, after_time = $4, rows_done = rows_done + $5,
       counts = $6, is_truncated = is_truncated OR $7, served_at = clock_timestamp(), failure_count = 0,
       status = CASE $2 WHEN 'completed' THEN 'completed' ELSE status END,
       completed_at = CASE $2 WHEN 'completed' THEN clock_timestamp() END
     WHERE id = $1`,
    [id, phase, afterId, afterTime, rowsDone, JSON.stringify(sums), isTruncated],
  );
}
