// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/platform/telemetry';
import {
  nativeOf,
  type AddressFilter,
  type Block,
  type BlockRef,
  type MempoolReader,
  type Transaction,
} from '@chainwatch/chain-core';
import type { Database } from '@chainwatch/data/db';
import { ShareLostError } from '@chainwatch/data/ownership';
import { endRehearsal, findPoison, isItemFault, rehearse } from '@chainwatch/data/quarantine';
import { recordPending } from './record-pending.ts';
import type { BlockRing } from '../feed/chain-feed.ts';
import type { ChainContext } from '../model/chain-context.ts';
import { isHolding, type ChainCursor } from '../model/chain-cursor.ts';
import { commitMempool, type MempoolCommit, type MempoolStep, PendingSetAsides } from './commit-mempool.ts';
import { confirmAddresses } from '../watch/family-watch.ts';
import { MempoolWatch, type MempoolLook } from './mempool-watch.ts';
import { outpointKey } from '../model/coin.ts';
import { PendingTracker } from './pending-tracker.ts';
import {
  NO_OUTCOME,
  type DroppedTransaction,
  type PendingTransaction,
  type PendingOutcome,
} from '../model/pending-outcome.ts';
import type { OutboxEvent } from '../model/planned-event.ts';
import {
  findMempoolCandidates,
  NOTHING_PREPARED,
  prepareMempool,
  type PreparedMempool,
  type PrepareMempoolDeps,
  sortByParents,
} from './prepare-mempool.ts';
import { readCoins } from '../utxo/read-coins.ts';
import type { TransactionState } from '../model/transaction-state.ts';

interface MempoolDeps {
  readonly db: Database;
  readonly chain: ChainContext;
  readonly logger: Logger;
  readonly reader: MempoolReader | undefined;
  /** Holds what is watched: addresses, or scripts on chains of unspent outputs. */
  readonly watch: AddressFilter;
  /** The last blocks analysed: a node may be late to remove their transactions from its mempool. */
  readonly ring: BlockRing;
  readonly options: { readonly mempoolPollMs: number; readonly mempoolGraceMs: number };
  readonly now: () => Date;
  readonly onChange: () => void;
}

const RETRY_MS_MAX = 60_000;
/** Steps that failed one after the other, before the transaction at fault is looked for. */
const FAULTS_MAX = 2;
const NONE: readonly OutboxEvent[] = [];
const NOTHING_COMMITTED: MempoolCommit = { events: NONE, states: [] };
const NO_HASHES: ReadonlySet<string> = new Set();

/**
 * Unconfirmed transactions of one chain, for its analyzer. A transaction in the mempool becomes `pending`; one that
 * is replaced or gone for good becomes `failed`. Every write is a step of the analyzer's, between those of blocks.
 */
export class MempoolAnalyzer {
  readonly #deps: MempoolDeps;
  readonly #watch: MempoolWatch | undefined;
  readonly #prepare: Omit<PrepareMempoolDeps, 'pending'>;
  readonly #absentSinceMs = new Map<string, number>();
  #pending = new PendingTracker();
  readonly #setAsides: PendingSetAsides;
  #isBegun = false;
  #isLoaded = false;
  #failures = 0;
  #faults = 0;
  #retryAtMs = 0;

  constructor(deps: MempoolDeps) {
    const { reader, logger, options, onChange } = deps;
    this.#deps = deps;
    this.#prepare = { watch: deps.watch, ...listSources(deps) };
    this.#setAsides = new PendingSetAsides(deps.db, deps.chain);
    deps.chain.utxo?.coins.listen((keys) => this.recheck(keys));
    if (options.mempoolPollMs > 0)
      this.#watch =
        reader &&
        new MempoolWatch({
          chainGid: deps.chain.gid,
          reader,
          pollMs: options.mempoolPollMs,
          logger,
          onChange,
        });
  }

  /** Reads the mempool until the signal aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    await this.#watch?.run(signal);
  }

  /** Reads the pending transactions from the database; before anything else and after every failure. */
  async load(): Promise<void> {
    this.#pending = await PendingTracker.load(this.#deps.db, this.#deps.chain.gid);
    this.#absentSinceMs.clear();
    // A step may have undone transactions without our noticing: look at them again.
    this.#watch?.view.recheckAll();
    this.#isLoaded = true;
  }

  /** What blocks mean for pending transactions. Call `finish` once that is committed. */
  async findOutcome(blocks: readonly Block[]): Promise<PendingOutcome> {
    if (!this.#isLoaded) await this.load();
    return blocks.length === 0 ? NO_OUTCOME : this.#pending.findOutcome(blocks);
  }

  finish(outcome: PendingOutcome, events: readonly OutboxEvent[]): void {
    this.#pending.apply(outcome);
    for (const { pending } of outcome.mined) this.#absentSinceMs.delete(pending.hash);
    for (const { hash } of outcome.dropped) {
      this.#absentSinceMs.delete(hash);
      this.#watch?.view.forget(hash);
    }
    for (const { type, envelope } of events)
      if (type === 'transaction.reorged') this.#watch?.view.forget(envelope.data.transaction.hash);
    this.#watch?.notify();
  }

  /**
   * Looks again at transactions passed over earlier, for newly watched scripts or addresses, or outpoints of coins
   * found for them.
   */
  recheck(keys: readonly string[]): void {
    this.#watch?.view.recheck(keys);
    this.#watch?.notify();
  }

  /**
   * Writes what is new in the mempool, if its head is the analyzer's cursor. Its failures hold up nothing. @throws
   * ShareLostError
   */
  async step(cursor: ChainCursor): Promise<readonly OutboxEvent[]> {
    const { number, hash } = cursor;
    if (number === undefined || hash === undefined || isHolding(cursor) || Date.now() < this.#retryAtMs)
      return NONE;
    const look = this.#watch?.peek({ number, hash });
    if (look === undefined) return NONE;
    try {
      if (!this.#isLoaded) await this.load();
      if (!this.#isBegun) await this.#setAsides.begin();
      this.#isBegun = true;
      if (this.#faults >= FAULTS_MAX) await this.#setAsidePoison(look);
      const events = await this.#analyse(look);
      await this.#setAsides.keep((of) => this.#watch!.isPresent(of));
      this.#failures = 0;
      this.#faults = 0;
      recordPending(this.#deps.chain.gid, this.#pending.size);
      return events;
    } catch (error) {
      if (error instanceof ShareLostError) throw error;
      this.#fail(error);
      return NONE;
    }
  }

  async #analyse(look: MempoolLook): Promise<readonly OutboxEvent[]> {
    const watch = this.#watch!;
    const deps = { ...this.#prepare, pending: this.#pending };
    const found = findMempoolCandidates(
      deps,
      sortByParents(
        look.transactions.filter(({ hash }) => watch.isPresent(hash) && !this.#setAsides.has(hash)),
      ),
    );
    const mined =
      found.length === 0
        ? NO_HASHES
        : this.#deps.ring.findTransactions(new Set(found.map(({ hash }) => hash)));
    const candidates = found.filter(({ hash }) => !mined.has(hash));
    const dropped = this.#listDropped(candidates);
    const prepared = candidates.length > 0 ? await prepareMempool(deps, candidates) : NOTHING_PREPARED;
    const events = await this.#commit(look.head, {
      step: { ...prepared, dropped },
      candidates,
      backlogHashes: look.backlogHashes,
    });
    watch.finish(look);
    for (const { hash } of dropped) watch.view.forget(hash);
    return events;
  }

  /** Each is tried in a transaction that is rolled back. */
  async #setAsidePoison({ head, transactions }: MempoolLook): Promise<void> {
    const { chain, logger, now } = this.#deps;
    const deps = { ...this.#prepare, pending: this.#pending };
    const tried = transactions.filter(({ hash }) => !this.#setAsides.has(hash));
    const poison = await findPoison(tried, (some) =>
      rehearse(async () => {
        const prepared = await prepareMempool(deps, findMempoolCandidates(deps, sortByParents([...some])));
        const step = { ...prepared, dropped: [] };
        await chain.share.transaction(async (sql) => {
          await commitMempool(sql, { chain, step, options: { headNumber: head.number, now: now() } });
          return endRehearsal(sql);
        });
      }),
    );
    if (poison.length === 0) return;
    const hashes = poison.map(({ item }) => item.hash);
    logger.error({ chain_gid: chain.gid, hashes }, 'transactions that made the mempool fail were set aside');
    await this.#setAsides.add(
      head,
      poison.map(({ item, error }) => ({ item: item.hash, error })),
    );
  }

  async #commit(
    head: BlockRef,
    {
      step,
      candidates,
      backlogHashes,
    }: {
      readonly step: MempoolStep & PreparedMempool;
      readonly candidates: readonly Transaction[];
      readonly backlogHashes: ReadonlySet<string>;
    },
  ): Promise<readonly OutboxEvent[]> {
    const { chain, now } = this.#deps;
    if (candidates.length === 0 && step.dropped.length === 0) return NONE;
    const isWritten = step.matches.length > 0 || step.dropped.length > 0;
    const { events, states } = isWritten
      ? await chain.share.transaction(
          (sql) => commitMempool(sql, { chain, step, options: { headNumber: head.number, now: now() } }),
          { keepsPlans: true },
        )
      : NOTHING_COMMITTED;
    this.#pending.apply({ mined: [], dropped: step.dropped });
    for (const { hash } of step.dropped) this.#absentSinceMs.delete(hash);
    this.#enter(states, candidates, step.coins);
    // A transaction already in the mempool that spends one of these coins may have been passed over before.
    this.#watch!.view.recheck(
      [...step.coins.keys()].filter((key) => backlogHashes.has(key.slice(0, key.lastIndexOf(':')))),
    );
    return events;
  }

  /**
   * Adds the new records and their parents. Parents are kept in memory only; one that was passed over is looked at
   * again.
   */
  #enter(
    states: readonly TransactionState[],
    candidates: readonly Transaction[],
    coins: ReadonlyMap<string, { address: string; amountRaw: bigint }>,
  ): void {
    const idsByHash = new Map<string, string[]>();
    for (const { id, hash } of states) idsByHash.set(hash, [...(idsByHash.get(hash) ?? []), id]);
    for (const { hash, utxo } of candidates.toReversed()) {
      const known = this.#pending.find(hash);
      const ids = idsByHash.get(hash);
      if (ids === undefined && (known !== undefined || !this.#pending.isParent(hash))) continue;
      const own = (utxo?.outputs ?? []).flatMap((_, vout) => {
        const key = outpointKey({ txid: hash, vout });
        const coin = coins.get(key);
        return coin === undefined ? [] : [[key, coin] as const];
      });
      const entry: PendingTransaction = {
        hash,
        ids: new Set([...(known?.ids ?? []), ...(ids ?? [])]),
        inputs: new Set((utxo?.inputs ?? []).map(outpointKey)),
        coins: new Map(own),
      };
      this.#pending.set(entry);
      this.#absentSinceMs.delete(hash);
      for (const { txid } of utxo?.inputs ?? [])
        if (this.#pending.find(txid) === undefined) this.#watch!.view.forget(txid);
    }
  }

  /** Replaced transactions with their descendants, and those missing for longer than the grace period. */
  #listDropped(candidates: readonly Transaction[]): DroppedTransaction[] {
    const watch = this.#watch!;
    const nowMs = Date.now();
    const conflicts = new Map<string, string>();
    const evicted: DroppedTransaction[] = [];
    for (const { hash, utxo } of candidates) {
      for (const input of utxo?.inputs ?? []) {
        for (const rival of this.#pending.listRivals(outpointKey(input), hash))
          if (!watch.isPresent(rival.hash)) conflicts.set(rival.hash, hash);
      }
    }
    for (const pending of this.#pending.list()) {
      if (watch.isPresent(pending.hash)) {
        this.#absentSinceMs.delete(pending.hash);
        continue;
      }
      for (const key of pending.inputs) {
        const rival = this.#pending.listRivals(key, pending.hash).find(({ hash }) => watch.isPresent(hash));
        if (rival !== undefined) conflicts.set(pending.hash, rival.hash);
      }
      const sinceMs = this.#absentSinceMs.get(pending.hash) ?? nowMs;
      this.#absentSinceMs.set(pending.hash, sinceMs);
      if (nowMs - sinceMs >= this.#deps.options.mempoolGraceMs) evicted.push(pending);
    }
    const replaced = this.#pending.withDescendants(conflicts);
    const replacedHashes = new Set(replaced.map(({ hash }) => hash));
    return [...replaced, ...evicted.filter(({ hash }) => !replacedHashes.has(hash))];
  }

  #fail(error: unknown): void {
    this.#isLoaded = false;
    this.#failures += 1;
    this.#faults = isItemFault(error) ? this.#faults + 1 : 0;
    const waitMs = Math.min(500 * 2 ** this.#failures, RETRY_MS_MAX);
    this.#retryAtMs = Date.now() + waitMs;
    this.#deps.logger.warn(
      { chain_gid: this.#deps.chain.gid, err: error },
      'failed to analyze mempool, will retry',
    );
  }
}

/** Where addresses and coins are looked up. */
function listSources({ db, chain }: MempoolDeps): Omit<PrepareMempoolDeps, 'pending' | 'watch'> {
  const { gid, family, network, utxo } = chain;
  return {
    confirmAddresses: (addresses) => confirmAddresses({ sql: db, family, chainGid: gid }, addresses),
    ...(utxo === undefined
      ? {}
      : {
          utxo: {
            nativeGid: nativeOf(network).gid,
            coins: utxo.coins,
            findAddress: (matchKey) => utxo.codec.findAddress(network, matchKey),
            readCoins: (outpoints) => readCoins(db, gid, outpoints),
          },
        }),
  };
}
