// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { Outcome } from './match-transaction.ts';
import type { MovedTransaction, Movement } from './read-movements.ts';
import type { Progress, Work } from './work.ts';

/** Movements that one reconciliation may name as missing in the books. */
const MISSING_MAX = 1_000_000;

export async function storeOutcomes(sql: Sql, outcomes: readonly Outcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  await sql.query(
    `UPDATE reconciliation_rows r SET class = o.class, reason = o.reason, chain_amount_raw = o.moved, first_line = o.first_line
     FROM unnest($1::bigint[], $2::text[], $3::text[], $4::numeric[], $5::bigint[]) AS o (id, class, reason, moved, first_line)
     WHERE r.id = o.id`,
    [
      outcomes.map(({ id }) => id),
      outcomes.map((outcome) => outcome.class),
      outcomes.map(({ reason }) => reason),
      outcomes.map(({ moved }) => moved?.toString()),
      outcomes.map(({ firstLine }) => firstLine),
    ],
  );
}

/** Movements that no row has, with their transactions. */
export interface Unclaimed {
  readonly transaction: MovedTransaction;
  readonly movements: readonly Movement[];
}

/** Names those of the window. Transfers of zero are nothing that books would hold. */
export async function storeMissing(
  sql: Sql,
  work: Work,
  unclaimed: readonly Unclaimed[],
): Promise<{ readonly added: number; readonly isTruncated: boolean }> {
  const missing = unclaimed
    .filter(({ transaction }) => isTold(transaction, work))
    .flatMap(({ transaction, movements }) =>
      movements
        .filter(({ amount, side }) => amount > 0n && (side !== 'fee' || work.include_fees))
        .map((movement) => ({ ...transaction, ...movement })),
    );
  if (missing.length === 0) return { added: 0, isTruncated: false };
  const room = Math.max(0, MISSING_MAX - (work.counts['missing_in_books'] ?? 0));
  const { rowCount } = await sql.query(
    `INSERT INTO reconciliation_rows (reconciliation_id, chain_gid, hash, address, asset_gid, direction, time, class, reason, transaction_id, chain_amount_raw)
     SELECT $1, m.chain_gid, m.hash, m.address, m.asset_gid, m.side, m.time, 'missing_in_books', m.pending, m.transaction_id, m.amount
     FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::timestamptz[], $10::text[], $11::uuid[], $12::numeric[])
       WITH ORDINALITY AS m (chain_gid, hash, address, asset_gid, side, time, pending, transaction_id, amount, place)
     WHERE NOT $2::boolean OR EXISTS (
       SELECT FROM reconciliation_rows x
       WHERE x.reconciliation_id = $1 AND x.address = m.address AND x.chain_gid = m.chain_gid AND x.line IS NOT NULL)
     ORDER BY m.place LIMIT $3`,
    [
      ...[work.id, work.scope === 'ledger', room],
      missing.map(({ chainGid }) => chainGid),
      missing.map(({ hash }) => hash),
      missing.map(({ address }) => address),
      missing.map(({ assetGid }) => assetGid),
      missing.map(({ side }) => side),
      missing.map(({ time }) => time),
      missing.map(({ pending }) => pending),
      missing.map(({ id }) => id),
      missing.map(({ amount }) => amount.toString()),
    ],
  );
  const added = rowCount ?? 0;
  return { added, isTruncated: added === room && missing.length > room };
}

function isTold({ time, pending }: MovedTransaction, { from_time, to_time }: Work): boolean {
  const isOnChain = pending === null || !/^(?:reorged|pending)/.test(pending);
  return isOnChain && time !== null && time >= from_time && time < to_time;
}

/** Rows that get a class in one statement where nothing has to be matched. */
export const CLOSED_AT_ONCE = 20_000;

/** Closes rows that nothing can be matched with. */
export async function closeRows(
  sql: Sql,
  { id, rows, reason }: { readonly id: string; readonly rows: string; readonly reason: string },
): Promise<Required<Pick<Progress, 'rowsDone' | 'counts'>>> {
  const { rowCount } = await sql.query(
    `UPDATE reconciliation_rows SET class = 'missing_on_chain', reason = $2 WHERE id IN (
       SELECT id FROM reconciliation_rows WHERE reconciliation_id = $1 AND ${rows} LIMIT ${CLOSED_AT_ONCE})`,
    [id, reason],
  );
  const closed = rowCount ?? 0;
  return { rowsDone: closed, counts: { missing_on_chain: closed } };
}
