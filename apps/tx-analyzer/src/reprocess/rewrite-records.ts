// SPDX-License-Identifier: Apache-2.0
import { lacksEvidence, type Block } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import { awaitsOthers, writeAttested } from '../commit/write-attested.ts';
import type { ChainContext } from '../model/chain-context.ts';
import { findAmountMax, insertEvents } from '../commit/step-rows.ts';
import type { MatchedTransaction } from '../model/matched-transaction.ts';
import { numberEvents } from '../commit/build-event.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import { readStates, STATE_COLUMNS, type TransactionRow } from '../commit/read-states.ts';
import { hasWord } from '../match/match-transactions.ts';
import { SqlParams } from '../model/sql-params.ts';
import type { TransactionState } from '../model/transaction-state.ts';
import { isWhole, type StrengthenedRecord } from './plan-reprocess.ts';
import type { BlockChange } from '../model/blocks-step.ts';

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
    `UPDATE transactions SET status = 'reorged', epoch = epoch + 1, reorged_at = $2, confirmed_at = NULL, matures_at_block = NULL WHERE id = ANY($1::uuid[]) RETURNING ${STATE_COLUMNS}`,
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
  readonly proved: readonly StrengthenedRecord[];
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
  await forgetProved(sql, chain, { blocks, grown });
  await strengthen(sql, chain, { blocks, proved });
  if (grown.size === 0) return;
  const params = new SqlParams();
  const source = params.unnest(
    [...grown],
    [
      ['uuid', ([id]) => id],
      ['text', ([, { transaction }]) => transaction.fee?.assetGid ?? null],
      ['numeric', ([, { transaction }]) => transaction.fee?.amountRaw.toString() ?? null],
      ['text', ([, { transaction }]) => transaction.fee?.payer ?? null],
      ['numeric', ([, { transfers }]) => findAmountMax(transfers, chain) ?? null],
      ['boolean', ([, { transaction }]) => lacksEvidence(transaction.verification)],
      ['integer', ([, { transaction }]) => transaction.index],
    ],
  );
  await sql.query(
    `UPDATE transactions t SET amount_max = s.amount_max, tx_index = s.tx_index, is_withheld = s.is_unproved OR t.confirmed_at IS NULL AND ${AWAITS_OTHERS},
       fee_asset_gid = COALESCE(s.fee_asset_gid, t.fee_asset_gid), fee_amount_raw = COALESCE(s.fee_amount_raw, t.fee_amount_raw), fee_payer = COALESCE(s.fee_payer, t.fee_payer)
     FROM ${source} AS s (id, fee_asset_gid, fee_amount_raw, fee_payer, amount_max, is_unproved, tx_index) WHERE t.id = s.id`,
    params.values,
  );
}

/** Others are still asked about it: a record that gains something is not confirmed before. */
const AWAITS_OTHERS = `EXISTS (SELECT FROM unproved_transactions u WHERE u.chain_gid = t.chain_gid AND u.block_hash = t.block_hash AND u.hash = t.hash AND u.verdict = 'attested')`;

/** Deletes what endpoints told of transactions that are proved now or written again. */
async function forgetProved(
  sql: Sql,
  chain: ChainContext,
  { blocks, grown }: Pick<Rewriting, 'blocks' | 'grown'>,
): Promise<void> {
  // Others are still to be asked about these, or asked again.
  const attested = blocks.flatMap((block) =>
    chain.setAsides
      .keep(block)
      .filter(hasWord)
      .map(({ hash }) => `${block.hash}|${hash}`),
  );
  const told = blocks.flatMap((block) =>
    block.transactions
      .filter(
        ({ hash, verification }) =>
          !lacksEvidence(verification) ||
          [...grown.values()].some(
            (match) => match.block.hash === block.hash && match.transaction.hash === hash,
          ),
      )
      .map(({ hash }) => ({ blockHash: block.hash, hash })),
  );
  const known = blocks.filter(isWhole).map(({ hash }) => hash);
  await sql.query(
    `DELETE FROM unproved_transactions u WHERE u.chain_gid = $1 AND NOT (u.verdict IN ('attested', 'contradicted') AND u.block_hash || '|' || u.hash = ANY($5))
       AND (u.block_hash = ANY($2) OR EXISTS (SELECT FROM unnest($3::text[], $4::text[]) AS t (block_hash, hash) WHERE t.block_hash = u.block_hash AND t.hash = u.hash))`,
    [chain.gid, known, told.map(({ blockHash }) => blockHash), told.map(({ hash }) => hash), attested],
  );
}

async function strengthen(
  sql: Sql,
  chain: ChainContext,
  { blocks, proved }: Pick<Rewriting, 'blocks' | 'proved'>,
): Promise<void> {
  if (proved.length > 0)
    await sql.query(
      `UPDATE transactions t SET is_unproved = false, is_withheld = s.is_withheld AND t.confirmed_at IS NULL, verification = s.verification, memo = coalesce(s.memo, t.memo), tx_index = s.tx_index
       FROM unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[], $5::integer[]) AS s (id, verification, memo, is_withheld, tx_index) WHERE t.id = s.id`,
      [
        proved.map(({ record }) => record.id),
        proved.map(({ verification }) => verification),
        proved.map(({ transaction }) => transaction.memo ?? null),
        proved.map(({ verification }) => awaitsOthers(chain, verification)),
        proved.map(({ transaction }) => transaction.index),
      ],
    );
  await writeAttested(
    sql,
    chain,
    proved.flatMap(({ record, verification, transaction }) => {
      const block = blocks.find(({ hash }) => hash === record.blockHash);
      return block === undefined || !awaitsOthers(chain, verification) ? [] : [{ block, transaction }];
    }),
  );
}

/** A stored change of which the block says nothing any more. */
export type StaleChange = Pick<BlockChange, 'addressId' | 'assetGid' | 'reason'> & {
  readonly blockHash: string;
};

interface ComparedChanges {
  /** Not stored as they are read now, or not believed until now. */
  readonly fresh: readonly BlockChange[];
  /** Told by one node alone, of blocks that are proved now. */
  readonly stale: readonly StaleChange[];
}

interface Row {
  readonly address_id: string;
  readonly asset_gid: string;
  readonly block_hash: string;
  readonly reason: BlockChange['reason'];
  readonly amount_raw: string;
  readonly is_unproved: boolean;
}

/** Compares what is stored of blocks' changes without a transaction with what is read of them now. */
export async function compareChanges(
  sql: Sql,
  chainGid: string,
  { blocks, changes }: { readonly blocks: readonly Block[]; readonly changes: readonly BlockChange[] },
): Promise<ComparedChanges> {
  const { rows } = await sql.query<Row>(
    `SELECT c.address_id, c.asset_gid, c.block_hash, c.reason, c.amount_raw, b.verification IS NOT DISTINCT FROM 'unproved' AS is_unproved
     FROM block_changes c LEFT JOIN blocks b ON b.chain_gid = c.chain_gid AND b.hash = c.block_hash
     WHERE c.chain_gid = $1 AND c.block_hash = ANY($2)`,
    [chainGid, blocks.map(({ hash }) => hash)],
  );
  const whole = new Set(blocks.filter(isWhole).map(({ hash }) => hash));
  const doubted = (row: Row): boolean => row.is_unproved && whole.has(row.block_hash);
  const stored = new Set(
    rows.filter((row) => !doubted(row)).map((row) => [...keyOfRow(row), row.amount_raw].join('|')),
  );
  const read = new Set(changes.map((change) => keyOf(change).join('|')));
  return {
    fresh: changes.filter((change) => !stored.has([...keyOf(change), change.amountRaw].join('|'))),
    stale: rows
      .filter((row) => doubted(row) && !read.has(keyOfRow(row).join('|')))
      .map((row) => ({
        addressId: row.address_id,
        assetGid: row.asset_gid,
        reason: row.reason,
        blockHash: row.block_hash,
      })),
  };
}

/** In an open transaction (chain's row locked). Addresses are locked first, as by whoever deletes one. */
export async function deleteChanges(sql: Sql, changes: readonly StaleChange[]): Promise<void> {
  if (changes.length === 0) return;
  await sql.query(
    `WITH kept AS MATERIALIZED (SELECT id FROM addresses WHERE id = ANY($1) ORDER BY id FOR KEY SHARE)
     DELETE FROM block_changes c USING kept, unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) AS s (address_id, asset_gid, reason, block_hash)
     WHERE kept.id = s.address_id AND c.address_id = s.address_id AND c.asset_gid = s.asset_gid AND c.reason = s.reason AND c.block_hash = s.block_hash`,
    [
      changes.map(({ addressId }) => addressId),
      changes.map(({ assetGid }) => assetGid),
      changes.map(({ reason }) => reason),
      changes.map(({ blockHash }) => blockHash),
    ],
  );
}

function keyOf({ addressId, assetGid, block, reason }: BlockChange): readonly string[] {
  return [addressId, assetGid, block.hash, reason];
}

function keyOfRow(row: Row): readonly string[] {
  return [row.address_id, row.asset_gid, row.block_hash, row.reason];
}
