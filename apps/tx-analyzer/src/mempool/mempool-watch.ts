// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/platform/telemetry';
import { Signal, type BlockRef, type MempoolReader, type Transaction } from '@chainwatch/chain-core';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fingerprintOf } from '@chainwatch/watch-set';
import { outpointKey } from '../model/coin.ts';

/** Transactions asked for in one request. */
const BATCH_HASHES = 100;
/** Transactions held in memory until the analyzer has looked at them. */
const ROUND_HASHES = 2_000;
/** Reading a large mempool takes no more than a fifth of the time. */
const REST_FACTOR = 4;

interface WatchDeps {
  readonly chainGid: string;
  readonly reader: MempoolReader;
  readonly pollMs: number;
  readonly logger: Logger;
  /** There is something to look at. */
  readonly onChange: () => void;
}

/** The mempool in its newest snapshot. */
export interface MempoolLook {
  /** Head of the chain at the snapshot. */
  readonly head: BlockRef;
  /** Fetched and not looked at yet, in no order. */
  readonly transactions: readonly Transaction[];
  /**
   * Those of `transactions` that are older than this snapshot: transactions that spend from them may have been
   * looked at already.
   */
  readonly backlogHashes: ReadonlySet<string>;
  /** Grows with every change. */
  readonly version: number;
}

type Round = Map<string, { readonly transaction: Transaction; readonly isBacklog: boolean }>;

/**
 * Reads a node's mempool in a loop of its own, so that a slow or failing mempool holds up nothing: snapshots, and
 * one round of unknown transactions at a time. The analyzer takes the results when it has time.
 */
export class MempoolWatch {
  readonly view = new MempoolView();
  readonly #deps: WatchDeps;
  readonly #wake = new Signal();
  #head: BlockRef | undefined;
  #round: Round = new Map();
  #version = 0;
  #finishedVersion = 0;
  #isUpdating = false;
  #isSettled = false;
  #trouble: string | undefined;
  #nextSnapshotMs = 0;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { chainGid, logger } = this.#deps;
    signal.addEventListener('abort', this.#wake.notify, { once: true });
    while (!signal.aborted) {
      try {
        if (Date.now() >= this.#nextSnapshotMs) await this.#readSnapshot(signal);
        if (this.#round.size === 0 && this.view.waitingCount > 0) await this.#readRound(signal);
        this.#trouble = undefined;
      } catch (error) {
        const trouble = String(error);
        if (!signal.aborted && trouble !== this.#trouble)
          logger.warn({ chain_gid: chainGid, err: error }, 'failed to read mempool, will retry');
        this.#trouble = trouble;
        this.#nextSnapshotMs = Math.max(this.#nextSnapshotMs, Date.now() + this.#deps.pollMs);
      }
      await this.#wake.wait(signal.aborted ? 0 : Math.max(1, this.#nextSnapshotMs - Date.now()));
    }
    signal.removeEventListener('abort', this.#wake.notify);
  }

  /** What is new, if the snapshot's head is exactly this block; undefined when there is nothing. */
  peek(head: BlockRef): MempoolLook | undefined {
    if (
      this.#version === this.#finishedVersion ||
      this.#isUpdating ||
      !this.#isSettled ||
      this.#head?.hash !== head.hash ||
      this.#head.number !== head.number
    )
      return undefined;
    const entries = [...this.#round.values()];
    const backlog = entries.filter((entry) => entry.isBacklog);
    return {
      head: this.#head,
      transactions: entries.map((entry) => entry.transaction),
      backlogHashes: new Set(backlog.map(({ transaction }) => transaction.hash)),
      version: this.#version,
    };
  }

  /** The analyzer has dealt with what it saw. */
  finish(look: MempoolLook): void {
    for (const transaction of look.transactions)
      if (this.#round.delete(transaction.hash)) this.view.add(transaction);
    this.#finishedVersion = look.version;
    if (this.view.waitingCount > 0) this.#wake.notify();
  }

  isPresent(hash: string): boolean {
    return this.#round.has(hash) || this.view.isPresent(hash);
  }

  /** Something must be fetched before the next snapshot. */
  notify = (): void => {
    if (this.view.waitingCount > 0) this.#wake.notify();
  };

  async #readSnapshot(signal: AbortSignal): Promise<void> {
    const startedAt = Date.now();
    const { head, hashes } = await this.#deps.reader.readSnapshot(signal);
    this.#isUpdating = true;
    try {
      await this.view.update(hashes, new Set(this.#round.keys()));
      const present = this.#round.size === 0 ? undefined : new Set(hashes);
      if (present !== undefined)
        for (const hash of this.#round.keys()) if (!present.has(hash)) this.#round.delete(hash);
    } finally {
      this.#isUpdating = false;
    }
    // The node returns hashes and head in two answers: only the next list certainly belongs to this head.
    this.#isSettled = this.#head?.hash === head.hash;
    this.#head = head;
    this.#nextSnapshotMs = this.#isSettled
      ? Date.now() + Math.max(this.#deps.pollMs, REST_FACTOR * (Date.now() - startedAt))
      : 0;
    this.#announce();
  }

  async #readRound(signal: AbortSignal): Promise<void> {
    const { fresh, backlog } = this.view.dequeue(ROUND_HASHES);
    const hashes = [...fresh, ...backlog];
    const backlogHashes = new Set(backlog);
    const round: Round = new Map();
    for (let start = 0; start < hashes.length; start += BATCH_HASHES) {
      // A slow node gets no more time than one poll: the next snapshot may hold a transaction that somebody
      // waits for.
      if (start > 0 && Date.now() >= this.#nextSnapshotMs) {
        this.view.giveBack(hashes.slice(start));
        break;
      }
      try {
        const transactions = await this.#deps.reader.readTransactions(
          hashes.slice(start, start + BATCH_HASHES),
          signal,
        );
        for (const transaction of transactions) {
          if (transaction !== undefined)
            round.set(transaction.hash, { transaction, isBacklog: backlogHashes.has(transaction.hash) });
        }
      } catch (error) {
        this.view.giveBack(hashes.slice(start));
        if (round.size === 0) throw error;
        this.#trouble = String(error);
        break;
      }
    }
    this.#round = round;
    this.#announce();
  }

  #announce(): void {
    this.#version += 1;
    this.#deps.onChange();
  }
}

interface KnownTransaction {
  /** Fingerprints of what it pays to and spends: enough to find it for an address that is registered later. */
  readonly keys: readonly number[];
  /** The last snapshot that contained it. */
  snapshot: number;
}

/** Hashes compared in one go; other work gets its turn in between. */
const CHUNK_HASHES = 25_000;

/**
 * The content of a node's mempool: which transactions were looked at, and which must still be fetched. A mainnet
 * mempool holds 300,000, so transactions that concern nobody are kept only as fingerprints.
 */
class MempoolView {
  readonly #known = new Map<string, KnownTransaction>();
  /** First seen in the newest snapshot: fetched before the others. */
  #fresh = new Set<string>();
  /** Fetched when there is time: the mempool at the start, and transactions to look at again. */
  #backlog = new Set<string>();
  #snapshot = 0;

  /** Transactions looked at. */
  get size(): number {
    return this.#known.size;
  }

  get waitingCount(): number {
    return this.#fresh.size + this.#backlog.size;
  }

  isPresent(hash: string): boolean {
    return (
      (this.#known.get(hash)?.snapshot ?? 0) >= this.#snapshot ||
      this.#fresh.has(hash) ||
      this.#backlog.has(hash)
    );
  }

  /**
   * Takes a snapshot; `inHand` are fetched but not looked at yet. Transactions that have left the mempool are
   * forgotten.
   */
  async update(hashes: readonly string[], inHand: ReadonlySet<string>): Promise<void> {
    const snapshot = this.#snapshot + 1;
    const fresh = new Set<string>();
    const backlog = new Set<string>();
    let knownCount = 0;
    for (const [position, hash] of hashes.entries()) {
      if (position % CHUNK_HASHES === CHUNK_HASHES - 1) await nextTurn();
      const known = this.#known.get(hash);
      if (known !== undefined) {
        known.snapshot = snapshot;
        knownCount += 1;
      } else if (this.#fresh.has(hash) || this.#backlog.has(hash)) backlog.add(hash);
      else if (!inHand.has(hash)) (this.#snapshot === 0 ? backlog : fresh).add(hash);
    }
    this.#fresh = fresh;
    this.#backlog = backlog;
    this.#snapshot = snapshot;
    if (knownCount === this.#known.size) return;
    for (const [hash, known] of this.#known) if (known.snapshot !== snapshot) this.#known.delete(hash);
  }

  /** Up to `count` hashes to be fetched now. */
  dequeue(count: number): { fresh: string[]; backlog: string[] } {
    const fresh = shiftFirst(this.#fresh, count);
    return { fresh, backlog: shiftFirst(this.#backlog, count - fresh.length) };
  }

  /** They could not be fetched. */
  giveBack(hashes: readonly string[]): void {
    for (const hash of hashes) this.#backlog.add(hash);
  }

  /** It was looked at. */
  add(transaction: Transaction): void {
    this.#known.set(transaction.hash, {
      keys: [...new Set(listKeys(transaction).map(fingerprintOf))],
      snapshot: this.#snapshot,
    });
  }

  /** Looks again at transactions that pay to or spend one of `keys`: scripts or addresses, outpoints. */
  recheck(keys: readonly string[]): void {
    if (keys.length === 0 || this.#known.size === 0) return;
    const wanted = new Set(keys.map(fingerprintOf));
    for (const [hash, known] of this.#known) if (known.keys.some((key) => wanted.has(key))) this.forget(hash);
  }

  recheckAll(): void {
    for (const hash of this.#known.keys()) this.forget(hash);
  }

  /** Looks at it again if the node still has it. */
  forget(hash: string): void {
    if (this.#known.delete(hash)) this.#backlog.add(hash);
  }
}

function listKeys({ utxo, from, transfers }: Transaction): string[] {
  const addresses = [from, ...transfers.flatMap((transfer) => [transfer.from, transfer.to])].filter(
    (address) => address !== undefined,
  );
  return utxo === undefined
    ? addresses
    : [...utxo.inputs.map(outpointKey), ...utxo.outputs.map((output) => output.matchKey)];
}

function shiftFirst(hashes: Set<string>, count: number): string[] {
  const taken: string[] = [];
  for (const hash of hashes) {
    if (taken.length >= count) break;
    taken.push(hash);
    hashes.delete(hash);
  }
  return taken;
}
