import type { Block } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import type { ChainContext } from '../model/chain-context.ts';
import { findAmountMax, insertEvents } from '../commit/step-rows.ts';
import type { MatchedTransaction } from '../model/matched-transaction.ts';
import { numberEvents } from '../commit/build-event.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import { readStates, STATE_COLUMNS, type TransactionRow } from '../commit/read-states.ts';
import { SqlParams } from '../model/sql-params.ts';
import type { TransactionState } from '../model/transaction-state.ts';

interface UndoOptions {
  readonly headNumber: number;
  readonly isHeld: boolean;
  readonly now: Date;
}

/** Publishes, in an open transaction, that what was published was never true, with the events of a reorg. */
export async function undoRecords(
  sql: Sql,
  {
    chain,
    undone,
    options: { headNumber, isHeld, now },
  }: {
    readonly chain: ChainContext;
    readonly undone: readonly TransactionState[];
    readonly options: UndoOptions;
  },
): Promise<OutboxEvent[]> {
  if (undone.length === 0) return [];
  const { rows } = await sql.query<TransactionRow>(
    `UPDATE transactions SET status = 'reorged', epoch = epoch + 1, reorged_at = $2, confirmed_at = NULL WHERE id = ANY($1::uuid[]) RETURNING ${STATE_COLUMNS}`,
    [undone.map(({ id }) => id), now],
  );
  const states = await readStates(sql, rows, chain.learn);
  const events = await numberEvents(
    { sql, chain },
    states.map((state) => ({ type: 'transaction.reorged', state }) as const),
    { headNumber, createdAt: now },
  );
  await insertEvents(sql, events, isHeld);
  return events;
}

interface Rewriting {
  readonly blocks: readonly Block[];
  /** By the record's id. */
  readonly grown: ReadonlyMap<string, MatchedTransaction>;
  readonly proved: readonly TransactionState[];
}

/**
 * Writes, in an open transaction, the parts of records other than transfers (`commitBlocks` writes those), and
 * deletes what endpoints said about transactions that are proved now or written again.
 */
export async function rewriteRecords(
  sql: Sql,
  chain: ChainContext,
  { blocks, grown, proved }: Rewriting,
): Promise<void> {
  const told = blocks.flatMap((block) =>
    block.transactions
      .filter(
        ({ hash, isUnproved }) =>
          isUnproved !== true ||
          [...grown.values()].some(
            (match) => match.block.hash === block.hash && match.transaction.hash === hash,
          ),
      )
      .map(({ hash }) => ({ blockHash: block.hash, hash })),
  );
  const known = blocks.filter(({ unknowns }) => (unknowns?.length ?? 0) === 0).map(({ hash }) => hash);
  await sql.query(
    `DELETE FROM unproved_transactions u WHERE u.chain_gid = $1
       AND (u.block_hash = ANY($2) OR EXISTS (SELECT FROM unnest($3::text[], $4::text[]) AS t (block_hash, hash) WHERE t.block_hash = u.block_hash AND t.hash = u.hash))`,
    [chain.gid, known, told.map(({ blockHash }) => blockHash), told.map(({ hash }) => hash)],
  );
  if (proved.length > 0)
    await sql.query(
      'UPDATE transactions SET is_unproved = false, is_withheld = false WHERE id = ANY($1::uuid[])',
      [proved.map(({ id }) => id)],
    );
  if (grown.size === 0) return;
  const params = new SqlParams();
  const source = params.unnest(
    [...grown],
    [
      ['uuid', ([id]) => id],
      ['text', ([, { transaction }]) => transaction.fee?.assetGid ?? null],
      ['numeric', ([, { transaction }]) => transaction.fee?.amountRaw.toString() ?? null],
      ['text', ([, { transaction }]) => transaction.fee?.payer ?? null],
      ['numeric', ([, { transfers }]) => findAmountMax(transfers, chain.decimalsOf) ?? null],
      ['boolean', ([, { transaction }]) => transaction.isUnproved === true],
    ],
  );
  await sql.query(
    `UPDATE transactions t SET amount_max = s.amount_max, is_withheld = s.is_unproved,
       fee_asset_gid = COALESCE(s.fee_asset_gid, t.fee_asset_gid), fee_amount_raw = COALESCE(s.fee_amount_raw, t.fee_amount_raw), fee_payer = COALESCE(s.fee_payer, t.fee_payer)
     FROM ${source} AS s (id, fee_asset_gid, fee_amount_raw, fee_payer, amount_max, is_unproved) WHERE t.id = s.id`,
    params.values,
  );
}
