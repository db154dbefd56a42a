// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { findNetwork } from '@chainwatch/chain-registry';
import { findTransactions, NO_TRANSACTION } from './find-transactions.ts';
import { toRaw, type InvalidRow, type LedgerRow } from './parse-row.ts';

interface Target {
  readonly id: string;
  readonly projectId: string;
}

/** The decimals of an asset of the project; null: not known. */
type Decimals = ReadonlyMap<string, number | null>;

/**
 * Stores rows of a ledger with the transactions that they name. What cannot be matched gets its class at once.
 * @returns how many there are of each class; undefined where the reconciliation was deleted
 */
export async function storeRows(
  sql: Sql,
  target: Target,
  rows: readonly (LedgerRow | InvalidRow)[],
): Promise<Readonly<Record<string, number>> | undefined> {
  const decimals = await readDecimals(sql, target.projectId, rows);
  const transactions = await findTransactions(
    sql,
    target.projectId,
    rows.flatMap((row) =>
      'reason' in row || row.hash === undefined
        ? []
        : [{ key: row.line, chainGid: row.chainGid, hash: row.hash }],
    ),
  );
  const stored = rows.map((row) => toStored(row, decimals));
  const column = <K extends keyof Stored>(name: K): Stored[K][] => stored.map((row) => row[name]);
  const { rows: found } = await sql.query<{ class: string | null; count: number }>(STORE_SQL, [
    target.id,
    target.projectId,
    column('line'),
    column('reference'),
    column('chainGid'),
    column('hash'),
    column('eventId'),
    column('address'),
    column('assetGid'),
    column('direction'),
    column('amountRaw'),
    column('time'),
    column('class'),
    column('reason'),
    rows.map(({ line }) => transactions.get(line)),
  ]);
  if (found.length === 0) return undefined;
  return Object.fromEntries(
    found.flatMap(({ class: name, count }) => (name === null ? [] : [[name, count]])),
  );
}

const STORE_SQL = `
  WITH open AS (
    SELECT id FROM reconciliations WHERE id = $1 AND project_id = $2 AND status = 'receiving' AND expires_at > clock_timestamp() FOR SHARE
  ), stored AS (
    INSERT INTO reconciliation_rows (reconciliation_id, line, reference, chain_gid, hash, event_id, address, asset_gid, direction,
      amount_raw, time, class, reason, transaction_id)
    SELECT o.id, r.line, r.reference, r.chain_gid, r.hash, r.event_id, r.address, r.asset_gid, r.direction, r.amount_raw, r.time,
      coalesce(r.class, CASE WHEN r.hash IS NOT NULL AND r.transaction_id IS NULL THEN 'missing_on_chain' END),
      coalesce(r.reason, CASE WHEN r.hash IS NOT NULL AND r.transaction_id IS NULL THEN '${NO_TRANSACTION}' END),
      coalesce(r.transaction_id, e.transaction_id)
    FROM open o, unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::uuid[], $8::text[], $9::text[], $10::text[], $11::numeric[],
      $12::timestamptz[], $13::text[], $14::text[], $15::uuid[])
      AS r (line, reference, chain_gid, hash, event_id, address, asset_gid, direction, amount_raw, time, class, reason, transaction_id)
    LEFT JOIN LATERAL (
      SELECT e.transaction_id FROM event_keys k JOIN event_log e ON e.id = k.row_id
      WHERE r.hash IS NULL AND k.event_id = r.event_id AND e.project_id = $2) e ON true
    ORDER BY r.line
    RETURNING class
  ) SELECT class, count(*) AS count FROM stored GROUP BY class`;

interface Stored {
  readonly line: number;
  readonly reference: string | undefined;
  readonly chainGid: string | undefined;
  readonly hash: string | undefined;
  readonly eventId: string | undefined;
  readonly address: string | undefined;
  readonly assetGid: string | undefined;
  readonly direction: string | undefined;
  readonly amountRaw: string | undefined;
  readonly time: Date | undefined;
  readonly class: 'invalid' | 'missing_on_chain' | undefined;
  readonly reason: string | undefined;
}

const NOTHING = {
  ...{ chainGid: undefined, hash: undefined, eventId: undefined, address: undefined, assetGid: undefined },
  ...{ direction: undefined, amountRaw: undefined, time: undefined },
} as const;

function toStored(row: LedgerRow | InvalidRow, decimals: Decimals): Stored {
  if ('reason' in row) return { ...NOTHING, ...row, class: 'invalid' };
  const { amount, ...others } = row;
  const known = decimals.get(row.assetGid);
  if (known === undefined)
    return {
      ...others,
      amountRaw: 'raw' in amount ? String(amount.raw) : undefined,
      class: 'missing_on_chain',
      reason: 'asset: the project has no movement of this asset',
    };
  const raw = toRaw(amount, known);
  if (typeof raw === 'string')
    return { ...NOTHING, line: row.line, reference: row.reference, class: 'invalid', reason: raw };
  return { ...others, amountRaw: String(raw), class: undefined, reason: undefined };
}

/** Of the assets that the project moved, and of the coins of its chains. */
async function readDecimals(
  sql: Sql,
  projectId: string,
  rows: readonly (LedgerRow | InvalidRow)[],
): Promise<Decimals> {
  const gids = new Set(rows.flatMap((row) => ('reason' in row ? [] : [row.assetGid])));
  const decimals = new Map<string, number | null>();
  for (const row of rows) {
    if ('reason' in row) continue;
    const native = findNetwork(row.chainGid)?.native;
    if (native?.gid === row.assetGid) decimals.set(row.assetGid, native.decimals);
  }
  const { rows: known } = await sql.query<{ gid: string; decimals: number | null }>(
    'SELECT a.gid, a.decimals FROM project_assets p JOIN assets a ON a.gid = p.asset_gid WHERE p.project_id = $1 AND p.asset_gid = ANY ($2)',
    [projectId, [...gids]],
  );
  for (const { gid, decimals: count } of known) decimals.set(gid, count ?? decimals.get(gid) ?? null);
  return decimals;
}
