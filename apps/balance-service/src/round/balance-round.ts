// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, ChainError } from '@chainwatch/chain-core';
import { readRoundAge } from '@chainwatch/data/db';
import { isItemFault } from '@chainwatch/data/quarantine';
import type { BalanceReader } from '../read/balance-reader.ts';
import type { BalanceStore } from '../store/balance-store.ts';
import type { BalanceEvent } from '../store/insert-events.ts';
import { ADDRESSES_MAX, runRoundPiece } from './run-round-piece.ts';

/** What rounds may cost, of each chain. */
export interface RoundOptions {
  /** Requests to the chain's nodes, a list of calls as one; 0: no rounds. */
  readonly callsPerSecond: number;
  /** An address is read again at the earliest after this. */
  readonly intervalMs: number;
}

export interface BalanceRoundDeps extends RoundOptions {
  readonly store: BalanceStore;
  readonly client: BalanceReader;
  readonly clock: () => Date;
  readonly signal: AbortSignal;
  readonly publish: (events: readonly BalanceEvent[]) => void;
  /** A node that did not answer, and the round goes on later. */
  readonly onFailure: (error: unknown) => void;
  /** A clock that never goes back, milliseconds. Default: the process's own. */
  readonly elapsedMs?: () => number;
}

/** While the analyzer or the node has to move first. */
const WAIT_MS = 250;
const RETRY_MS_MAX = 30_000;
/** How often the age of the oldest reading is read. */
const AGE_EVERY_MS = 5_000;

/**
 * Reads the balances of a chain's watched addresses again and again, piece by piece within a budget, so that what no
 * transfer explains is found as well. Where balances are sums of coins, the analyzer compares the coins (its `round/`), and
 * only what it has corrected is read here.
 */
export class BalanceRound {
  readonly #deps: BalanceRoundDeps;
  readonly #elapsedMs: () => number;
  /** Requests that may be made now: below zero until a large piece is paid for. */
  #allowance: number;
  #paidAtMs: number;
  #dueAtMs = 0;
  #retryMs = WAIT_MS;
  /** Pieces of one address that are left, after a larger one failed. */
  #suspects = 0;
  #wasSecond = false;
  /** Of a piece: the head waits for one. */
  readonly #pieceMax: number;
  #requestsMax: number;
  /** What is read of an address that needs several pieces. */
  #done: ReadonlySet<string> = new Set();
  #ageReadAtMs = -Infinity;
  #oldestAtMs: number | undefined;

  constructor(deps: BalanceRoundDeps) {
    this.#deps = deps;
    this.#allowance = deps.callsPerSecond;
    // Where the head is asked for before and after, small pieces would ask for little else.
    this.#pieceMax =
      deps.client.countBalanceRequests === undefined
        ? Math.max(deps.callsPerSecond / 10, 1)
        : deps.callsPerSecond;
    this.#requestsMax = this.#pieceMax;
    this.#elapsedMs = deps.elapsedMs ?? (() => performance.now());
    this.#paidAtMs = this.#elapsedMs();
  }

  get isNeeded(): boolean {
    return this.#deps.callsPerSecond > 0 || this.#deps.client.verification === 'proved';
  }

  /** Age of the oldest reading, seconds; in the first round, since it began. Undefined: there are no rounds. */
  get ageSeconds(): number | undefined {
    return this.#oldestAtMs === undefined ? undefined : (this.#elapsedMs() - this.#oldestAtMs) / 1_000;
  }

  /** Reads how old the oldest reading is, if that is due. */
  async lookAtAge(): Promise<void> {
    const nowMs = this.#elapsedMs();
    if (this.isNeeded && nowMs >= this.#ageReadAtMs + AGE_EVERY_MS) await this.#readAge(nowMs);
  }

  /**
   * Runs the next piece if it is due. Returns after how long the next one is.
   * @throws what is not the node's fault
   */
  async step(): Promise<number> {
    if (!this.isNeeded) return Infinity;
    const nowMs = this.#elapsedMs();
    if (nowMs >= this.#dueAtMs) this.#dueAtMs = nowMs + (await this.#run(nowMs));
    await this.lookAtAge();
    return Math.max(this.#dueAtMs - this.#elapsedMs(), 0);
  }

  async #readAge(nowMs: number): Promise<void> {
    const { store, client } = this.#deps;
    const age = await readRoundAge(store.sql, client.network.gid);
    this.#oldestAtMs = age === undefined ? undefined : nowMs - age * 1_000;
    this.#ageReadAtMs = nowMs;
  }

  async #run(nowMs: number): Promise<number> {
    const { callsPerSecond, publish, onFailure, signal } = this.#deps;
    const paid = ((nowMs - this.#paidAtMs) / 1_000) * callsPerSecond;
    this.#allowance = Math.min(this.#allowance + paid, callsPerSecond);
    this.#paidAtMs = nowMs;
    if (this.#allowance < 0) return (-this.#allowance / callsPerSecond) * 1_000;
    try {
      const isSuspect = this.#suspects > 0;
      const piece = await runRoundPiece({
        ...{ ...this.#deps, isSuspect, requestsMax: this.#requestsMax },
        ...{ isRoundsTurn: this.#wasSecond, done: this.#done },
      });
      this.#retryMs = WAIT_MS;
      if (piece.type === 'waiting') return WAIT_MS;
      if (piece.type === 'resting') return piece.restMs;
      this.#suspects = Math.max(this.#suspects - 1, 0);
      this.#wasSecond = piece.isSecond;
      this.#done = piece.part;
      this.#requestsMax = Math.min(this.#requestsMax * 2, this.#pieceMax);
      this.#allowance -= piece.requests;
      publish(piece.events);
      return 0;
    } catch (error) {
      if (!(error instanceof ChainError || isItemFault(error)) || signal.aborted) throw error;
      this.#allowance -= callsPerSecond;
      // A node that lacks the block is behind the analyzer, or tells the state at its head alone and is ahead. Perhaps its head
      // moves while it is asked: it is asked for less.
      if (error instanceof BlockNotFoundError) {
        this.#requestsMax = Math.max(this.#requestsMax / 2, 1);
        return WAIT_MS;
      }
      this.#suspects = ADDRESSES_MAX;
      onFailure(error);
      const waitMs = this.#retryMs;
      this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX);
      return waitMs;
    }
  }
}
