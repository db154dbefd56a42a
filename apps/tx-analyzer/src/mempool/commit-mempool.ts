// SPDX-License-Identifier: Apache-2.0
import type { Sql, Database } from '@chainwatch/data/db';
import { transactionIdOf } from '@chainwatch/events';
import type { ChainContext } from '../model/chain-context.ts';
import { clearRecords } from '../commit/commit-blocks.ts';
import { dropPending } from '../commit/drop-pending.ts';
import {
  insertEventsSql,
  insertTransactionAddressesSql,
  insertTransfersSql,
  upsertTransactionsSql,
} from '../commit/step-rows.ts';
import { markUsed } from '../commit/mark-used.ts';
import type { MatchedTransaction } from '../model/matched-transaction.ts';
import { numberEvents } from '../commit/build-event.ts';
import type { DroppedTransaction } from '../model/pending-outcome.ts';
import { planPending } from '../commit/plan-writes.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import { lockAndReadExisting } from '../commit/run-step.ts';
import { SqlParams } from '../model/sql-params.ts';
import type { TransactionState } from '../model/transaction-state.ts';
import type { BlockRef } from '@chainwatch/chain-core';
import { endSetAside, setAside, type Poison } from '@chainwatch/data/quarantine';

/** What the mempool means, ready to be written. */
export interface MempoolStep {
  readonly matches: readonly MatchedTransaction[];
  readonly dropped: readonly DroppedTransaction[];
  /** Derived addresses that a transaction touches for the first time. */
  readonly usedIds: readonly string[];
}

interface CommitOptions {
  /** Height of the mempool's head. */
  readonly headNumber: number;
  readonly now: Date;
}

export interface MempoolCommit {
  readonly events: readonly OutboxEvent[];
  /** Records that are pending now. */
  readonly states: readonly TransactionState[];
}

/** Writes the result for the mempool in an open transaction: records, their inputs, outbox. The cursor stays. */
export async function commitMempool(
  sql: Sql,
  {
    chain,
    step: { matches, dropped, usedIds },
    options: { headNumber, now },
  }: { readonly chain: ChainContext; readonly step: MempoolStep; readonly options: CommitOptions },
): Promise<MempoolCommit> {
  const ids = matches.map((match) => transactionIdOf(match.projectId, chain.gid, match.transaction.hash));
  const projectIds = [...new Set(matches.map(({ projectId }) => projectId))];
  const existing = await lockAndReadExisting(sql, chain, { ids, projectIds });
  const undone = await dropPending(sql, { chain, dropped, options: { headNumber, isHeld: false, now } });
  const plan = planPending(matches, existing.transactions, {
    chainGid: chain.gid,
    requiredConfirmations: chain.network.confirmation.depth,
    depths: existing.depths,
    now,
  });
  const events = await numberEvents({ sql, chain }, plan.events, { headNumber, createdAt: now });
  if (plan.upserts.length === 0) return { events: undone, states: [] };
  if (usedIds.length > 0) await markUsed(sql, usedIds);
  if (plan.resetIds.length > 0) await clearRecords(sql, plan.resetIds);
  const written = new Set(plan.upserts.map((state) => state.hash));
  const params = new SqlParams();
  const text = `WITH new_transactions AS (${upsertTransactionsSql(params, chain, plan.upserts)}),
    new_transfers AS (${insertTransfersSql(params, chain, plan.upserts)}),
    new_addresses AS (${insertTransactionAddressesSql(params, plan.upserts)}),
    new_events AS (${insertEventsSql(params, events, false)}),
    new_inputs AS (${insertInputsSql(
      params,
      chain.gid,
      matches.filter(({ transaction }) => written.has(transaction.hash)),
    )})
    SELECT 1`;
  await sql.query({ name: 'commit_mempool', text, values: params.values });
  return { events: [...undone, ...events], states: plan.upserts };
}

function insertInputsSql(
  params: SqlParams,
  chainGid: string,
  matches: readonly MatchedTransaction[],
): string {
  const byHash = new Map(matches.map(({ transaction }) => [transaction.hash, transaction]));
  const rows = [...byHash.values()].flatMap(({ hash, utxo }) =>
    (utxo?.inputs ?? []).map((input) => ({ hash, input })),
  );
  const source = params.unnest(rows, [
    ['text', ({ hash }) => hash],
    ['text', ({ input }) => input.txid],
    ['integer', ({ input }) => input.vout],
  ]);
  return `INSERT INTO pending_inputs (chain_gid, hash, prev_txid, prev_vout) SELECT ${params.add(chainGid, 'text')}, * FROM ${source} ON CONFLICT DO NOTHING`;
}

/**
 * Transactions of the mempool with which its step fails: left out while they wait there, and named by an incident. A block
 * that holds one is analysed as ever. A start tries all of them again.
 */
export class PendingSetAsides {
  readonly #hashes = new Set<string>();
  readonly #db: Database;
  readonly #chain: Pick<ChainContext, 'gid' | 'share'>;

  constructor(db: Database, chain: Pick<ChainContext, 'gid' | 'share'>) {
    this.#db = db;
    this.#chain = chain;
  }

  has(hash: string): boolean {
    return this.#hashes.has(hash);
  }

  /** Ends what an owner before set aside. */
  async begin(): Promise<void> {
    const { rows } = await this.#db.query<{ subject_id: string }>(
      `SELECT subject_id FROM incidents WHERE chain_gid = $1 AND kind = 'poison:mempool' AND status = 'quarantined'`,
      [this.#chain.gid],
    );
    await this.#end(rows.map(({ subject_id: hash }) => hash));
  }

  async add(block: BlockRef, poison: readonly Poison<string>[]): Promise<void> {
    const items = poison.map(({ item: id, error }) => ({
      ...{ step: 'mempool', block, error },
      subject: { type: 'transaction' as const, id },
    }));
    await this.#chain.share.transaction((sql) => setAside(sql, this.#chain.gid, items));
    for (const { item } of poison) this.#hashes.add(item);
  }

  /** Ends those that are not in the mempool any more. */
  async keep(isPresent: (hash: string) => boolean): Promise<void> {
    const gone = [...this.#hashes].filter((hash) => !isPresent(hash));
    for (const hash of gone) this.#hashes.delete(hash);
    await this.#end(gone);
  }

  async #end(subjectIds: readonly string[]): Promise<void> {
    if (subjectIds.length === 0) return;
    const { gid, share } = this.#chain;
    await share.transaction((sql) => endSetAside(sql, gid, { step: 'mempool', subjectIds }));
  }
}
