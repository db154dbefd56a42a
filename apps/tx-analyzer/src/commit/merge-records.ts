// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { ChainContext } from '../model/chain-context.ts';
import { mergeMatch } from '../match/merge-match.ts';
import { memoOf, type Merge } from './plan-writes.ts';
import { readStates, STATE_COLUMNS, type TransactionRow } from './read-states.ts';
import type { TransactionState } from '../model/transaction-state.ts';

/**
 * In an open transaction (chain's row locked), deletes what will be written anew of records that gain something,
 * and returns these records with their complete content. More is known of the same transaction: its direction, and
 * on chains of unspent outputs also what it paid.
 */
export async function mergeRecords(
  sql: Sql,
  chain: ChainContext,
  merges: readonly Merge[],
): Promise<TransactionState[]> {
  const { rows } = await sql.query<TransactionRow>({
    name: 'read_merged',
    text: `SELECT ${STATE_COLUMNS} FROM transactions WHERE id = ANY($1::uuid[])`,
    values: [merges.map(({ state }) => state.id)],
  });
  const records = new Map((await readStates(sql, rows, chain.learn)).map((record) => [record.id, record]));
  const states = merges.flatMap(({ state, match }) => {
    const record = records.get(state.id);
    const merged = record === undefined ? undefined : mergeMatch(record, match);
    return merged === undefined
      ? []
      : [
          {
            ...state,
            transfers: merged.transfers,
            direction: merged.direction,
            memo: memoOf(match.transaction, merged.transfers),
          },
        ];
  });
  if (states.length === 0) return [];
  await sql.query('DELETE FROM transfers WHERE transaction_id = ANY($1::uuid[])', [
    states.map(({ id }) => id),
  ]);
  await sql.query(
    `UPDATE transactions t SET direction = s.direction, memo = COALESCE(s.memo, t.memo), fee_asset_gid = COALESCE(t.fee_asset_gid, s.fee_asset_gid), fee_amount_raw = COALESCE(t.fee_amount_raw, s.fee_amount_raw)
     FROM unnest($1::uuid[], $2::text[], $3::text[], $4::numeric[], $5::text[]) AS s (id, direction, fee_asset_gid, fee_amount_raw, memo)
     WHERE t.id = s.id AND (t.direction <> s.direction OR s.memo IS DISTINCT FROM t.memo AND s.memo IS NOT NULL OR t.fee_amount_raw IS NULL AND s.fee_amount_raw IS NOT NULL)`,
    [
      states.map(({ id }) => id),
      states.map(({ direction }) => direction),
      states.map(({ fee }) => fee?.assetGid ?? null),
      states.map(({ fee }) => fee?.amountRaw.toString() ?? null),
      states.map(({ memo }) => memo ?? null),
    ],
  );
  return states;
}
