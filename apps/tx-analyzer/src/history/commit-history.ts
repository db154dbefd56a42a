// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import type { Sql, Transaction } from '@chainwatch/data/db';
import { transactionIdOf } from '@chainwatch/events';
import { BaseError } from '@chainwatch/common/problem';
import { endSetAside } from '@chainwatch/data/quarantine';
import { buildEvent } from '../commit/build-event.ts';
import { clearRecords } from '../commit/commit-blocks.ts';
import {
  insertAssetsSql,
  insertBalanceReadsSql,
  insertEventsSql,
  insertTransactionAddressesSql,
  insertTransfersSql,
  upsertTransactionsSql,
} from '../commit/step-rows.ts';
import { mergeRecords } from '../commit/merge-records.ts';
import { lockAndReadExisting } from '../commit/run-step.ts';
import { unpackBlocks } from '../commit/unpack-blocks.ts';
import { writeUnknowns } from '../commit/write-unknowns.ts';
import type { WriterContext, WriterWork } from '../commit/writer-queue.ts';
import { BalanceReads, movedTokens } from '../match/prepare-blocks.ts';
import type { NewAsset } from '../model/blocks-step.ts';
import { isHolding } from '../model/chain-cursor.ts';
import type { ChainContext } from '../model/chain-context.ts';
import type { MatchedTransaction } from '../model/matched-transaction.ts';
import type { StoredEvent } from '../model/planned-event.ts';
import { SqlParams } from '../model/sql-params.ts';
import type { TransactionState } from '../model/transaction-state.ts';
import type { HistoryJob } from './history-turn.ts';
import type { NotCovered } from './not-covered.ts';
import { planHistory } from './plan-history.ts';
import { sendProgress, type HistoryProgress } from './write-progress.ts';

export interface HistoryStep {
  readonly jobs: readonly HistoryJob[];
  /** In block order. */
  readonly matches: readonly MatchedTransaction[];
  /** The blocks that were read, all of them final. */
  readonly blocks: readonly Pick<Block, 'number' | 'hash' | 'unknowns'>[];
  /** Absent while more of the same blocks is to be written. */
  readonly progress?: HistoryProgress;
}

/** A block that was read is not, or no longer, of the chain that the analyzer follows. */
class OtherBranchError extends BaseError {
  readonly code = 'other_branch';
  readonly retryable = true;
}

/**
 * One transaction of the chain's owner: what history found, its events, and how far it is. Nothing for a job that was
 * deleted, paused, or asked for again, since its turn began. Returns how many transactions were new.
 */
export function commitHistory(step: HistoryStep): WriterWork<number> {
  return async (context) => {
    const { chain, assets, signal } = context;
    const moved = movedTokens(step.matches, chain.network.native?.gid);
    const newAssets = await assets.prepare(moved, signal);
    const value = await chain.share.transaction((sql) =>
      writeHistory(sql, { context, batch: step, newAssets }),
    );
    assets.markSaved(newAssets, moved.keys());
    return { value, events: [] };
  };
}

async function writeHistory(
  sql: Transaction,
  {
    context: { chain, advance, now },
    batch: { jobs, matches: found, blocks, progress },
    newAssets,
  }: {
    readonly context: WriterContext;
    readonly batch: HistoryStep;
    readonly newAssets: readonly NewAsset[];
  },
): Promise<number> {
  const { cursor } = advance;
  const alive = await lockJobs(sql, chain.gid, jobs);
  const matches = found.filter(({ participants }) => participants.some(({ id }) => alive.has(id)));
  await assertFinal(sql, { chainGid: chain.gid, blocks, confirmedNumber: cursor.confirmedNumber ?? -1 });
  await unpackBlocks(
    sql,
    chain.gid,
    matches.map(({ block }) => block.number),
  );
  const ids = matches.map(({ projectId, transaction }) =>
    transactionIdOf(projectId, chain.gid, transaction.hash),
  );
  const existing = await lockAndReadExisting(sql, chain, { ids, projectIds: [] });
  const plan = planHistory(matches, existing.transactions, {
    chainGid: chain.gid,
    requiredConfirmations: chain.network.confirmation.depth,
    now,
  });
  if (plan.resetIds.length > 0) await clearRecords(sql, plan.resetIds);
  const merged = plan.merges.length === 0 ? [] : await mergeRecords(sql, chain, plan.merges);
  // While the database writes one statement, the next one is built.
  sendRecords(sql, chain, { newAssets, upserts: plan.upserts, merged });
  const events = plan.confirmed.map((state) =>
    buildStored(chain, { state, headNumber: cursor.number ?? 0, now }),
  );
  sendEvents(sql, events, isHolding(cursor));
  await writeUnknowns(sql, { chain, blocks, matches });
  sendBalanceReads(sql, chain, matches);
  if (progress !== undefined) {
    await endSetAside(sql, chain.gid, { step: 'history', subjectIds: [...alive.keys()] });
    sendProgress(sql, {
      chainGid: chain.gid,
      jobs: jobs.flatMap((job) => {
        const notCovered = alive.get(job.addressId);
        return notCovered === undefined ? [] : [{ ...job, notCovered }];
      }),
      progress,
    });
  }
  return plan.upserts.length;
}

/**
 * Addresses first, as whoever deletes or switches one locks them. Returns the ids whose request is still the same, with
 * what is known not to be covered; none of an address that is not monitored: blocks were matched without it.
 */
async function lockJobs(
  sql: Sql,
  chainGid: string,
  jobs: readonly HistoryJob[],
): Promise<ReadonlyMap<string, readonly NotCovered[]>> {
  const ids = jobs.map(({ addressId }) => addressId);
  await sql.query('SELECT FROM addresses WHERE id = ANY($1::uuid[]) ORDER BY id FOR KEY SHARE', [ids]);
  const { rows } = await sql.query<{ address_id: string; not_covered: readonly NotCovered[] }>(
    `SELECT h.address_id, h.not_covered FROM unnest($2::uuid[], $3::bigint[]) AS j (address_id, revision)
     JOIN address_histories h ON h.chain_gid = $1 AND h.address_id = j.address_id AND h.revision = j.revision
     JOIN addresses a ON a.id = h.address_id AND a.is_monitored
     WHERE h.status <> 'complete' ORDER BY h.address_id FOR UPDATE OF h`,
    [chainGid, ids, jobs.map(({ revision }) => revision)],
  );
  return new Map(rows.map((row) => [row.address_id, row.not_covered]));
}

/** @throws OtherBranchError when a block was orphaned, is still to be analysed, or the chain has another one at its number */
async function assertFinal(
  sql: Sql,
  {
    chainGid,
    blocks,
    confirmedNumber,
  }: { readonly chainGid: string; readonly blocks: HistoryStep['blocks']; readonly confirmedNumber: number },
): Promise<void> {
  const { rows } = await sql.query<{ number: number }>(
    `SELECT r.number FROM unnest($2::bigint[], $3::text[]) AS r (number, hash) WHERE r.number > $4
       OR EXISTS (SELECT FROM blocks b WHERE b.chain_gid = $1 AND b.number = r.number AND b.status <> 'reorged' AND (b.hash <> r.hash OR b.status = 'new'))
       OR EXISTS (SELECT FROM packed_blocks($1, r.number, r.number) b WHERE b.hash <> r.hash)
       OR EXISTS (SELECT FROM blocks b WHERE b.chain_gid = $1 AND b.hash = r.hash AND b.status = 'reorged') LIMIT 1`,
    [chainGid, blocks.map(({ number }) => number), blocks.map(({ hash }) => hash), confirmedNumber],
  );
  const number = rows[0]?.number;
  if (number !== undefined)
    throw new OtherBranchError(`expected final blocks, got another block ${number} than the chain has`, {
      publicMessage: `the node has another block ${number} than the chain that is followed`,
    });
}

interface NewRecords {
  readonly newAssets: readonly NewAsset[];
  readonly upserts: readonly TransactionState[];
  readonly merged: readonly TransactionState[];
}

function sendRecords(
  sql: Transaction,
  chain: ChainContext,
  { newAssets, upserts, merged }: NewRecords,
): void {
  const states = [...upserts, ...merged];
  const send = (name: string, rows: readonly unknown[], of: (params: SqlParams) => string): void => {
    if (rows.length === 0) return;
    const params = new SqlParams();
    const text = of(params);
    sql.send({ name, text, values: params.values });
  };
  send('history_assets', newAssets, (params) => insertAssetsSql(params, chain, newAssets));
  send('history_transactions', upserts, (params) => upsertTransactionsSql(params, chain, upserts));
  send(
    'history_transfers',
    states.flatMap(({ transfers }) => transfers),
    (params) => insertTransfersSql(params, chain, states),
  );
  send('history_participants', states, (params) => insertTransactionAddressesSql(params, states));
}

function buildStored(
  chain: ChainContext,
  {
    state,
    headNumber,
    now,
  }: { readonly state: TransactionState; readonly headNumber: number; readonly now: Date },
): StoredEvent {
  const type = 'transaction.confirmed';
  const envelope = buildEvent(state, {
    chainGid: chain.gid,
    type,
    sequence: null,
    headNumber,
    createdAt: now,
    displayOf: chain.displayOf,
    decimalsOf: chain.decimalsOf,
    isNft: chain.isNft,
  });
  return {
    eventId: envelope.event_id,
    projectId: state.projectId,
    chainGid: chain.gid,
    type,
    subject: 'history',
    sequence: null,
    transactionId: state.id,
    envelope,
    payload: JSON.stringify(envelope),
  };
}

/** And their deliveries, to the channels there are now: a later one gets what is found later. */
function sendEvents(sql: Transaction, events: readonly StoredEvent[], isHeld: boolean): void {
  if (events.length === 0) return;
  const params = new SqlParams();
  const text = insertEventsSql(params, events, isHeld);
  sql.send({ name: 'insert_events', text, values: params.values });
  sql.send({
    name: 'dispatch_history',
    text: `INSERT INTO historical_dispatches (channel_id, event_row_id)
           SELECT c.id, e.id FROM event_keys k CROSS JOIN LATERAL (SELECT id, project_id, subject_kind FROM event_log WHERE id = k.row_id OFFSET 0) e
           JOIN notification_channels c ON c.project_id = e.project_id
           WHERE k.event_id = ANY($1::uuid[]) AND e.subject_kind = 'history' AND c.config -> 'include_historical' = 'true' ON CONFLICT DO NOTHING`,
    values: [events.map(({ eventId }) => eventId)],
  });
}

/**
 * A balance is the chain's, whatever was found: it is asked for only where none was read yet, or where what was found
 * may explain an adjustment.
 */
function sendBalanceReads(
  sql: Transaction,
  chain: ChainContext,
  matches: readonly MatchedTransaction[],
): void {
  const reads = new BalanceReads();
  reads.addDetected(matches, { nativeGid: chain.network.native?.gid, atBlock: false });
  if (reads.list().length === 0) return;
  const params = new SqlParams();
  const text = `${insertBalanceReadsSql(params, chain.gid, reads.list())}
    WHERE EXISTS (SELECT FROM assets a WHERE a.gid = r.asset_gid AND a.status = 'active')
      AND (NOT EXISTS (SELECT FROM balances b WHERE b.address_id = r.address_id AND b.asset_gid = r.asset_gid)
        OR EXISTS (SELECT FROM adjustments j WHERE j.address_id = r.address_id AND j.asset_gid = r.asset_gid))`;
  sql.send({ name: 'history_reads', text, values: params.values });
}
