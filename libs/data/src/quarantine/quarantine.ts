// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';
import type { Sql } from '../db/index.ts';

/** An item that makes the work fail even alone. */
export interface Poison<T> {
  readonly item: T;
  readonly error: unknown;
}

/**
 * Finds the items with which the work fails: tries all of them, then halves, down to a single one. Nothing is found when
 * it fails with several together only.
 *
 * @param attempt does the work for some of the items, and leaves no trace
 * @param isFault whether an error may be the fault of an item
 * @throws what is not the fault of an item
 */
export async function findPoison<T>(
  items: readonly T[],
  attempt: (items: readonly T[]) => Promise<void>,
  isFault: (error: unknown) => boolean = isItemFault,
): Promise<Poison<T>[]> {
  if (items.length === 0) return [];
  try {
    await attempt(items);
    return [];
  } catch (error) {
    if (!isFault(error)) throw error;
    if (items.length === 1) return [{ item: items[0]!, error }];
  }
  const middle = items.length >> 1;
  return [
    ...(await findPoison(items.slice(0, middle), attempt, isFault)),
    ...(await findPoison(items.slice(middle), attempt, isFault)),
  ];
}

/** SQLSTATE classes of what a value does: data exception, integrity violation, program limit exceeded. */
const VALUE_CLASSES = new Set(['22', '23', '54']);
/** Codes of errors that our own libraries throw on a value (`InvalidAmountError`, `InvalidCaipError`). */
const VALUE_CODES = new Set(['invalid_amount', 'invalid_caip']);
const CODE_ERRORS = [RangeError, SyntaxError, TypeError, URIError];
const FAULT_MAX = 200;

/**
 * Whether an item of the work may have made it fail: the database refused a value, or code of ours cannot handle one.
 * What a database or a node that is away says is nobody's fault, and neither is a share that was lost.
 */
export function isItemFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string')
    return (
      VALUE_CODES.has(error.code) || (error.code.length === 5 && VALUE_CLASSES.has(error.code.slice(0, 2)))
    );
  return CODE_ERRORS.some((type) => error instanceof type);
}

/** What an incident says of it: no value of a tenant, which the database's detail would show. */
export function describeFault(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  // What stands in quotes is a value, or a name of a table.
  return text
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\s+/g, ' ')
    .slice(0, FAULT_MAX);
}

/** Ends the transaction of a rehearsal: nothing of it stays. */
class RehearsedError extends BaseError {
  readonly code = 'rehearsed';
  readonly retryable = false;
}

/** Runs work whose transactions end with `endRehearsal`. @throws what the work throws before that */
export async function rehearse(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RehearsedError)) throw error;
  }
}

/** Checks in an open transaction all that its commit would check, and rolls it back. */
export async function endRehearsal(sql: Sql): Promise<never> {
  await sql.query('SET CONSTRAINTS ALL IMMEDIATE');
  throw new RehearsedError('the transaction was a rehearsal');
}

/** What is set aside, and where it made a step fail. */
export interface SetAside {
  /** The step that it made fail: `balances`, `analysis`, `confirmation`, `progress`, `history`, `backfill`, `mempool`, `assets`, `dispatch`, `records`, `channels`. */
  readonly step: string;
  readonly subject: {
    readonly type: 'address' | 'asset' | 'transaction' | 'event' | 'channel';
    readonly id: string;
  };
  /** Whose it is; absent: of nobody alone. */
  readonly projectId?: string | undefined;
  /** With it the incident ends. */
  readonly addressId?: string | undefined;
  /** Of a balance: which one of the address. */
  readonly assetGid?: string | undefined;
  readonly block: { readonly number: number; readonly hash: string };
  readonly error: unknown;
}

/** Once a day what is set aside is tried again. */
export const RETRY_EVERY = "interval '1 day'";

/** Names in an open transaction what is set aside from now on. What is set aside already keeps its incident. */
export async function setAside(sql: Sql, chainGid: string, items: readonly SetAside[]): Promise<void> {
  if (items.length === 0) return;
  await sql.query(
    `INSERT INTO incidents AS i (chain_gid, kind, status, block_number, block_hash, last_block_number, transaction_hash, expected, got,
       subject_type, subject_id, project_id, address_id, asset_gid, retry_at)
     SELECT $1, 'poison:' || s.step, 'quarantined', s.number, s.hash, s.number, CASE s.type WHEN 'transaction' THEN s.id END,
       'an item that can be processed', s.got, s.type, s.id, s.project_id, s.address_id, s.asset_gid, clock_timestamp() + ${RETRY_EVERY}
     FROM unnest($2::text[], $3::text[], $4::text[], $5::uuid[], $6::uuid[], $7::text[], $8::bigint[], $9::text[], $10::text[])
       AS s (step, type, id, project_id, address_id, asset_gid, number, hash, got)
     -- It may have been deleted since it was tried: then nothing is left to set aside.
     WHERE (s.project_id IS NULL OR EXISTS (SELECT FROM projects p WHERE p.id = s.project_id FOR KEY SHARE))
       AND (s.address_id IS NULL OR EXISTS (SELECT FROM addresses a WHERE a.id = s.address_id FOR KEY SHARE))
     ON CONFLICT (chain_gid, kind, subject_type, subject_id, coalesce(asset_gid, ''), coalesce(project_id, '00000000-0000-0000-0000-000000000000'))
       WHERE status = 'quarantined'
     DO UPDATE SET got = excluded.got, retry_at = excluded.retry_at,
       block_number = excluded.block_number, block_hash = excluded.block_hash, last_block_number = excluded.last_block_number`,
    [
      chainGid,
      items.map(({ step }) => step),
      items.map(({ subject }) => subject.type),
      items.map(({ subject }) => subject.id),
      items.map(({ projectId }) => projectId ?? null),
      items.map(({ addressId }) => addressId ?? null),
      items.map(({ assetGid }) => assetGid ?? null),
      items.map(({ block }) => block.number),
      items.map(({ block }) => block.hash),
      items.map(({ error }) => describeFault(error)),
    ],
  );
}

/** Another release, or another day of the same one: all that a step has set aside on a chain is tried again now. */
export async function retryAll(sql: Sql, chainGid: string, step: string): Promise<void> {
  await sql.query(
    `UPDATE incidents SET retry_at = clock_timestamp() WHERE chain_gid = $1 AND kind = $2 AND status = 'quarantined'`,
    [chainGid, `poison:${step}`],
  );
}

/** Whether the address `id` (SQL) is set aside in a step of the chain $1, and not to be tried again yet. */
export function isSetAsideSql(step: string, id: string): string {
  return `EXISTS (SELECT FROM incidents q WHERE q.address_id = ${id} AND q.chain_gid = $1 AND q.kind = 'poison:${step}'
    AND q.status = 'quarantined' AND q.retry_at > clock_timestamp())`;
}

/** Ends in an open transaction what was set aside, by the ids of its subjects: the step is done with them. */
export async function endSetAside(
  sql: Sql,
  chainGid: string,
  { step, subjectIds }: { readonly step: string; readonly subjectIds: readonly string[] },
): Promise<void> {
  await sql.query({
    name: 'end_set_aside',
    text: `UPDATE incidents SET status = 'resolved', resolved_at = now()
      WHERE chain_gid = $1 AND kind = $3 AND subject_id = ANY($2::text[]) AND status = 'quarantined'`,
    values: [chainGid, subjectIds, `poison:${step}`],
  });
}
