// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream';
import { FairQueue } from '@chainwatch/chain-core';
import type { Database, Sql } from '@chainwatch/data/db';
import { conflict, invalidRequest, unprocessableEntity } from '@chainwatch/common/problem';
import { recordChange, type Author } from '../management/record-change.ts';
import { RowParser, type InvalidRow, type LedgerRow } from './parse-row.ts';
import {
  BATCH,
  BATCH_CHARACTERS,
  readCsv,
  readNdjson,
  ROWS_MAX,
  wrongLedger,
  type RawRow,
} from './read-rows.ts';
import { storeRows } from './store-rows.ts';

export interface Ledger {
  readonly bytes: Readable;
  readonly format: 'csv' | 'ndjson';
  readonly name: string | undefined;
  /** Undefined: from the earliest time of the ledger. */
  readonly from: Date | undefined;
  /** Exclusive; undefined: up to the latest time of the ledger. */
  readonly to: Date | undefined;
  readonly scope: 'project' | 'ledger';
  readonly includeFees: boolean;
}

/** Of a workspace: received or matched at the moment, and kept. */
const OPEN_MAX = 2;
const KEPT_MAX = 100;
const KEPT_DAYS = 90;
/** A sender that says nothing for so long has gone. */
const LEASE_SECONDS = 120;
const RENEW_MS = 10_000;
/** New tables look small to the planner. */
const BY_INDEX = { keepsPlans: true };
/** Batches that are stored at the same time; workspaces take turns. */
const turns = new FairQueue({ atOnce: 2 });

/**
 * Stores a ledger while it arrives, and hands it to the workers.
 * @returns its id
 * @throws ProblemError 400 for a ledger that cannot be read, 422 for one too many; nothing of it is kept then
 */
export async function receiveLedger(db: Database, author: Author, ledger: Ledger): Promise<string> {
  const { projectId } = author.principal;
  const id = await db.transaction((sql) => openReconciliation(sql, author, ledger));
  try {
    const received = await storeLedger(db, { id, author, ledger });
    const window = chooseWindow(ledger, received);
    // So that the workers' statements are planned for a table that has these rows.
    if (received.rows >= BATCH) await db.query('ANALYZE reconciliation_rows').catch(() => undefined);
    await db.transaction(async (sql) => {
      const { rowCount } = await sql.query(
        `UPDATE reconciliations SET status = 'matching', from_time = $3, to_time = $4, row_count = $5, counts = $6, received_at = now()
         WHERE id = $1 AND project_id = $2 AND status = 'receiving' AND expires_at > now()`,
        [id, projectId, window.from, window.to, received.rows, JSON.stringify(received.counts)],
      );
      if (rowCount === 0) throw deleted();
      await recordChange(sql, author, {
        action: 'reconciliation.created',
        targetId: id,
        to: { name: ledger.name, rows: received.rows, from: window.from, to: window.to },
      });
    });
    return id;
  } catch (error) {
    // A worker removes the rows.
    await db
      .query('UPDATE reconciliations SET expires_at = now() WHERE id = $1', [id])
      .catch(() => undefined);
    throw error;
  }
}

async function openReconciliation(sql: Sql, { principal }: Author, ledger: Ledger): Promise<string> {
  const { workspaceId, projectId } = principal;
  await sql.query("SELECT pg_advisory_xact_lock(hashtextextended('reconciliations ' || $1, 0))", [
    workspaceId,
  ]);
  const { rows } = await sql.query<{ open: number; kept: number }>(
    `SELECT count(*) FILTER (WHERE status IN ('receiving', 'matching')) AS open, count(*) AS kept
     FROM reconciliations WHERE workspace_id = $1 AND project_id IS NOT NULL AND expires_at > now()`,
    [workspaceId],
  );
  const { open, kept } = rows[0]!;
  if (open >= OPEN_MAX)
    throw unprocessableEntity(
      `The workspace may have ${OPEN_MAX} reconciliations under way: wait until one is completed, or delete one.`,
    );
  if (kept >= KEPT_MAX)
    throw unprocessableEntity(`The workspace may have ${KEPT_MAX} reconciliations: delete some.`);
  const { rows: made } = await sql.query<{ id: string }>(
    `INSERT INTO reconciliations (project_id, workspace_id, name, format, from_time, to_time, scope, include_fees, lease_until, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + interval '${LEASE_SECONDS} s', now() + interval '${KEPT_DAYS} days') RETURNING id`,
    [
      projectId,
      workspaceId,
      ledger.name,
      ledger.format,
      ledger.from,
      ledger.to,
      ledger.scope,
      ledger.includeFees,
    ],
  );
  return made[0]!.id;
}

interface Received {
  rows: number;
  readonly counts: Record<string, number>;
  earliest: Date | undefined;
  latest: Date | undefined;
}

async function storeLedger(
  db: Database,
  { id, author, ledger }: { readonly id: string; readonly author: Author; readonly ledger: Ledger },
): Promise<Received> {
  const { projectId, workspaceId } = author.principal;
  const received: Received = { rows: 0, counts: {}, earliest: undefined, latest: undefined };
  const parser = new RowParser();
  let renewedAt = Date.now();
  const store = async (batch: readonly RawRow[]): Promise<void> => {
    const rows: (LedgerRow | InvalidRow)[] = [];
    for (const raw of batch) rows.push(await parser.parse(raw));
    const counts = await turns.run({ owner: workspaceId }, () =>
      db.transaction((sql) => storeRows(sql, { id, projectId }, rows), [], BY_INDEX),
    );
    if (counts === undefined) throw deleted();
    for (const [name, count] of Object.entries(counts))
      received.counts[name] = (received.counts[name] ?? 0) + count;
    for (const row of rows) if ('time' in row) widen(received, row.time);
    received.rows += rows.length;
    if (Date.now() - renewedAt < RENEW_MS) return;
    renewedAt = Date.now();
    await db.query(
      `UPDATE reconciliations SET lease_until = now() + interval '${LEASE_SECONDS} s', row_count = $2 WHERE id = $1`,
      [id, received.rows],
    );
  };
  let batch: RawRow[] = [];
  let size = 0;
  for await (const row of ledger.format === 'csv' ? readCsv(ledger.bytes) : readNdjson(ledger.bytes)) {
    if (received.rows + batch.length >= ROWS_MAX)
      throw wrongLedger(
        `line ${row.line}`,
        `expected at most ${ROWS_MAX.toLocaleString('en')} rows, got one more`,
      );
    batch.push(row);
    size += sizeOf(row);
    if (batch.length < BATCH && size < BATCH_CHARACTERS) continue;
    await store(batch);
    batch = [];
    size = 0;
  }
  if (batch.length > 0) await store(batch);
  return received;
}

function sizeOf({ cells }: RawRow): number {
  let size = 0;
  for (const cell of Object.values(cells)) size += cell.length;
  return size;
}

function widen(received: Received, time: Date | undefined): void {
  if (time === undefined) return;
  if (received.earliest === undefined || time < received.earliest) received.earliest = time;
  if (received.latest === undefined || time > received.latest) received.latest = time;
}

/** @throws ProblemError 400 where neither the request nor the ledger says it */
function chooseWindow(
  { from: askedFrom, to: askedTo }: Ledger,
  { earliest, latest }: Received,
): { readonly from: Date; readonly to: Date } {
  const from = askedFrom ?? earliest;
  const to = askedTo ?? (latest && new Date(latest.getTime() + 1));
  const missing = { from, to };
  const fields = (['from', 'to'] as const)
    .filter((name) => missing[name] === undefined)
    .map((name) => ({ name, reason: 'expected it, because no row of the ledger has a time' }));
  if (from === undefined || to === undefined) throw invalidRequest(fields);
  if (from >= to)
    throw invalidRequest([
      { name: 'to', reason: `expected a time after ${from.toISOString()}, got ${to.toISOString()}` },
    ]);
  return { from, to };
}

function deleted(): Error {
  return conflict('The reconciliation was deleted while its ledger arrived.');
}
