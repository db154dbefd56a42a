// SPDX-License-Identifier: Apache-2.0
import type { Sql, Statement } from '@chainwatch/data/db';
import { BalanceReads } from '../match/prepare-blocks.ts';
import { insertBalanceReadsSql, insertEvents } from './step-rows.ts';
import { endLaterSql, takesPartSql, writeApart } from './write-apart.ts';
import type { ChainContext } from '../model/chain-context.ts';
import { numberEvents } from './build-event.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import {
  compareByPosition,
  heldPairs,
  readStates,
  STATE_COLUMNS,
  type TransactionRow,
} from './read-states.ts';
import { SqlParams } from '../model/sql-params.ts';
import type { TransactionState } from '../model/transaction-state.ts';
import { isHolding, type ChainCursor } from '../model/chain-cursor.ts';
import type { FeedEntry } from '../model/feed-entry.ts';
import { forgetTombstones } from './tombstones.ts';

const CHUNK_ROWS = 1_000;

export interface Finality {
  /** Blocks up to this number are final. */
  readonly number: number;
  /** Absent when not known: balances are then read at the head. */
  readonly hash?: string;
  readonly traceparent?: string;
}

/** What is confirmed: what leaves it to the chain, up to its last final block, or what has the depth that it waits for. */
type Due =
  | { readonly by: 'finality'; readonly finalNumber: number; readonly traceparent?: string | undefined }
  | { readonly by: 'depth'; readonly traceparent?: string | undefined };

interface ConfirmOptions {
  /** Height that confirmations are counted at. */
  readonly headNumber: number;
  readonly isHeld: boolean;
  readonly now: Date;
}

/**
 * Confirms what is final in an open transaction (chain's row locked), with events and balance reads. What a project
 * confirms by depth is left to `confirmByDepth`. Events come in block order.
 */
export async function confirmTransactions(
  sql: Sql,
  {
    chain,
    finality,
    options,
  }: { readonly chain: ChainContext; readonly finality: Finality; readonly options: ConfirmOptions },
): Promise<OutboxEvent[]> {
  const reads = new BalanceReads();
  const block = finality.hash === undefined ? undefined : { number: finality.number, hash: finality.hash };
  const due = { by: 'finality', finalNumber: finality.number, traceparent: finality.traceparent } as const;
  const events = await confirmDue(sql, {
    chain,
    due,
    options: {
      ...options,
      onConfirmed: (state) => {
        for (const pair of heldPairs(chain, state))
          reads.add({ ...pair, ...(block === undefined ? {} : { block }), reason: 'confirmed' });
      },
    },
  });
  if (reads.list().length > 0) {
    const params = new SqlParams();
    await sql.query({
      name: 'insert_reads',
      text: insertBalanceReadsSql(params, chain.gid, reads.list()),
      values: params.values,
    });
  }
  return events;
}

/**
 * Confirms what has as many confirmations as its project waits for. Balances are not read for it: what they are in
 * final blocks depends on the chain alone.
 */
export async function confirmByDepth(
  sql: Sql,
  chain: ChainContext,
  { traceparent, ...options }: ConfirmOptions & { readonly traceparent?: string | undefined },
): Promise<OutboxEvent[]> {
  return confirmDue(sql, {
    chain,
    due: { by: 'depth', traceparent },
    options: { ...options, onConfirmed: () => undefined },
  });
}

interface Confirming {
  readonly chain: ChainContext;
  readonly due: Due;
  readonly options: ConfirmOptions & { readonly onConfirmed: (state: TransactionState) => void };
}

async function confirmDue(sql: Sql, confirming: Confirming): Promise<OutboxEvent[]> {
  const all: OutboxEvent[] = [];
  for (;;) {
    let count = 0;
    await writeApart<DueRow>(sql, confirming.chain, {
      step: 'confirmation',
      async list() {
        const due = await listDue(sql, confirming);
        count = due.length;
        return due;
      },
      async write(some) {
        const ids = some?.map(({ id }) => id);
        const { rows, events } = await confirmSome(sql, confirming, ids);
        if (some === undefined) count = rows.length;
        all.push(...events);
      },
    });
    if (count < CHUNK_ROWS) return all;
  }
}

/** @param ids of these alone; undefined: of a chunk of what is due */
async function confirmSome(
  sql: Sql,
  confirming: Confirming,
  ids: readonly string[] | undefined,
): Promise<{ readonly rows: readonly TransactionRow[]; readonly events: readonly OutboxEvent[] }> {
  const { chain, due, options } = confirming;
  const { traceparent } = due;
  const rows = await markConfirmed(sql, confirming, ids);
  // A failed transaction was published as failed: that it is final now is no event.
  const states = await readStates(
    sql,
    rows.filter((row) => !row.is_failed),
    chain.learn,
  );
  const planned = states.map(
    (state) =>
      ({
        type: 'transaction.confirmed',
        state,
        ...(traceparent === undefined ? {} : { traceparent }),
      }) as const,
  );
  const events = await numberEvents({ sql, chain }, planned, {
    headNumber: options.headNumber,
    createdAt: options.now,
  });
  await insertEvents(sql, events, options.isHeld);
  for (const state of states) options.onConfirmed(state);
  return { rows, events };
}

/** What waits for a final block (0) or for a height (1), by the height that it waits for; the index has the same words. */
const AWAITED_KIND = 'CASE WHEN confirmation_depth IS NULL THEN 0 ELSE 1 END';
const AWAITED_NUMBER = 'block_number + coalesce(confirmation_depth, 0)';

/** Condition on rows of transactions that wait for a height of the chain `$1` and have it at the head `$2`. */
export const IS_DUE_BY_DEPTH = `chain_gid = $1 AND (${AWAITED_KIND}) = 1 AND (${AWAITED_NUMBER}) <= $2::bigint + 1
  AND confirmed_at IS NULL AND status IN ('detected', 'failed') AND NOT is_withheld AND ${takesPartSql('confirmation', 'transactions')}`;

type DueRow = Pick<TransactionRow, 'id' | 'hash' | 'project_id' | 'block_number' | 'block_hash'>;

/** A chunk of what is due: of the chain $1, up to the height $2, of the kind $3. */
const dueSql = (columns: string): string =>
  `SELECT ${columns} FROM transactions WHERE chain_gid = $1 AND (${AWAITED_KIND}) = $3 AND (${AWAITED_NUMBER}) <= $2
     AND confirmed_at IS NULL AND status IN ('detected', 'failed') AND NOT is_withheld AND ${takesPartSql('confirmation', 'transactions')}
   ORDER BY (${AWAITED_NUMBER}) LIMIT ${CHUNK_ROWS}`;

const dueValues = ({ chain, due, options }: Confirming): unknown[] =>
  due.by === 'finality' ? [chain.gid, due.finalNumber, 0] : [chain.gid, options.headNumber + 1, 1];

/** In block order. */
async function listDue(sql: Sql, confirming: Confirming): Promise<readonly DueRow[]> {
  const { rows } = await sql.query<DueRow>({
    name: 'list_due_confirmations',
    text: `SELECT * FROM (${dueSql('id, hash, project_id, block_number, block_hash, tx_index')}) due ORDER BY block_number, tx_index, id`,
    values: dueValues(confirming),
  });
  return rows;
}

async function markConfirmed(
  sql: Sql,
  confirming: Confirming,
  ids: readonly string[] | undefined,
): Promise<TransactionRow[]> {
  const { chain, options } = confirming;
  const { rows } = await sql.query<TransactionRow>(
    ids === undefined
      ? {
          name: 'mark_confirmed',
          text: markSql(dueSql('id'), '$4'),
          values: [...dueValues(confirming), options.now],
        }
      : {
          name: 'mark_some_confirmed',
          text: markSql('SELECT unnest($2::uuid[])', '$3'),
          values: [chain.gid, ids, options.now],
        },
  );
  return rows.sort(compareByPosition);
}

const markSql = (ids: string, now: string): string => `WITH marked AS (
    UPDATE transactions SET status = CASE WHEN is_failed THEN status ELSE 'confirmed' END, confirmed_at = ${now}
    WHERE id IN (${ids}) RETURNING ${STATE_COLUMNS}),
  ended AS (${endLaterSql('marked')})
  SELECT * FROM marked`;

interface FinalRange {
  readonly entry: FeedEntry;
  /** Blocks up to here were final before. */
  readonly after?: number;
}

interface FinalizeStep extends FinalRange {
  /** The cursor after the step. */
  readonly cursor: ChainCursor;
  readonly now: Date;
}

/**
 * Locks the blocks that a step processes together with those that it makes final, in id order. Locked separately, the newer
 * ones would be held while the older ones are waited for, and a reorg below finality locks in the opposite order.
 */
export function lockStepSql(
  chain: ChainContext,
  { entry, after }: FinalRange,
  processedHashes: readonly string[],
): Statement {
  return {
    name: 'lock_step_blocks',
    text: `WITH locked AS MATERIALIZED (
             SELECT id FROM blocks WHERE id IN (
               SELECT id FROM blocks WHERE chain_gid = $1 AND hash = ANY($2)
               UNION ALL SELECT id FROM blocks WHERE chain_gid = $1 AND number > $3 AND number <= $4 AND status = 'processed')
             ORDER BY id FOR NO KEY UPDATE)
           SELECT count(*) FROM locked`,
    values: [chain.gid, processedHashes, after ?? -1, entry.number],
  };
}

/** Applies a `finalize` entry in an open transaction (chain's row locked): blocks and transactions become confirmed. */
export async function commitFinalize(
  sql: Sql,
  chain: ChainContext,
  { entry, after, cursor, now }: FinalizeStep,
): Promise<OutboxEvent[]> {
  await sql.query({
    name: 'confirm_blocks',
    // Locked in the order of their ids, as the ingestor does.
    text: `WITH final AS MATERIALIZED (
             SELECT id FROM blocks WHERE chain_gid = $1 AND number > $2 AND number <= $3 AND status = 'processed' ORDER BY id FOR NO KEY UPDATE)
           UPDATE blocks SET status = 'confirmed', updated_at = now() FROM final WHERE blocks.id = final.id`,
    values: [chain.gid, after ?? -1, entry.number],
  });
  const events = await confirmTransactions(sql, {
    chain,
    finality: entry,
    options: {
      headNumber: cursor.number ?? entry.number,
      isHeld: isHolding(cursor),
      now,
    },
  });
  await readFinalBalances(sql, chain, { after, entry });
  await forgetTombstones(sql, chain.gid, entry.number);
  return events;
}

/** Balances in final blocks of what projects confirm by depth, whenever they do. */
async function readFinalBalances(sql: Sql, chain: ChainContext, { after, entry }: FinalRange): Promise<void> {
  await sql.query({
    name: 'read_final_balances',
    text: `INSERT INTO balance_reads (chain_gid, address_id, asset_gid, block_number, block_hash, reason)
           SELECT DISTINCT $1, a.id, held.asset_gid, $3::bigint, $4, 'confirmed'
           FROM blocks b JOIN transactions t ON t.chain_gid = b.chain_gid AND t.block_hash = b.hash
           JOIN transaction_addresses ta ON ta.transaction_id = t.id JOIN addresses a ON a.id = ta.address_id
           CROSS JOIN LATERAL (SELECT $5::text AS asset_gid WHERE $5 IS NOT NULL
             UNION SELECT m.asset_gid FROM transfers m WHERE m.transaction_id = t.id AND a.address = ANY(m.monitored_addresses)) held
           WHERE b.chain_gid = $1 AND b.number > $2 AND b.number <= $3 AND b.status = 'confirmed'
             AND t.confirmation_depth IS NOT NULL AND t.status IN ('detected', 'confirmed')`,
    values: [chain.gid, after ?? -1, entry.number, entry.hash, chain.network.native?.gid],
  });
}
