// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { BlockNotFoundError } from '@chainwatch/chain-core';
import { ShareLostError } from '@chainwatch/data/ownership';
import type { Logger } from '@chainwatch/platform/telemetry';
import { runCoinPiece, type CoinPieceDeps } from './run-coin-piece.ts';

export interface CoinRoundDeps extends Omit<CoinPieceDeps, 'addressesMax' | 'signal'> {
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly signal: AbortSignal;
  /** The chain is behind or recovers: its node is for the head. */
  readonly isHeadBusy: () => boolean;
}

/** Of one scan: its request has some megabytes. */
const ADDRESSES_MAX = 20_000;
const RETRY_MS_MAX = 300_000;
/** Scans in a row that are given up for imports. The next one runs to its end, so that a round ends however many imports come. */
const YIELDS_MAX = 3;

/**
 * Compares the coins of a chain's watched addresses with those of its nodes in rounds, so that a missing or a wrong coin is
 * found: the balance round (ADR 23) where balances are sums of coins. One scan at a time, for as many addresses as it may
 * have; then the node rests as long as the scan took.
 */
export class CoinRound {
  readonly #deps: CoinRoundDeps;
  #dueAtMs = 0;
  #retryMs: number;
  #addressesMax = ADDRESSES_MAX;
  #yields = 0;
  #isUncovered = false;

  constructor(deps: CoinRoundDeps) {
    this.#deps = deps;
    this.#retryMs = deps.pollMs;
  }

  /**
   * Runs the next piece if it is due. Never fails for a reason of the node's.
   * @param isDue whether addresses wait for their coins, which need a scan as well: a scan is given up for them
   * @throws ShareLostError
   */
  async step(isDue: () => Promise<boolean>): Promise<void> {
    const { intervalMs, isHeadBusy, signal } = this.#deps;
    if (intervalMs === 0 || isHeadBusy() || performance.now() < this.#dueAtMs) return;
    const startedAtMs = performance.now();
    const restMs = await this.#run(isDue);
    if (signal.aborted) return;
    this.#dueAtMs = performance.now() + (restMs ?? performance.now() - startedAtMs);
  }

  /** Returns after how long the next piece is due; undefined: after as long as this one took. */
  async #run(isDue: () => Promise<boolean>): Promise<number | undefined> {
    const { chain, logger, intervalMs, pollMs, signal } = this.#deps;
    const end = new AbortController();
    const watching = this.#yields < YIELDS_MAX ? this.#watch(isDue, end) : undefined;
    try {
      const piece = await runCoinPiece({
        ...this.#deps,
        addressesMax: this.#addressesMax,
        signal: AbortSignal.any([signal, end.signal]),
      });
      this.#retryMs = pollMs;
      if (piece.type === 'resting') return piece.restMs;
      if (piece.type === 'uncovered') {
        if (!this.#isUncovered)
          logger.info(
            { chain_gid: chain.gid },
            'no node answered a scan of coins and balances were not compared',
          );
        this.#isUncovered = true;
        return intervalMs;
      }
      this.#isUncovered = false;
      this.#yields = 0;
      this.#addressesMax = Math.min(this.#addressesMax * 2, ADDRESSES_MAX);
      return undefined;
    } catch (err) {
      if (err instanceof ShareLostError) throw err;
      if (signal.aborted) return undefined;
      if (end.signal.aborted) {
        this.#yields += 1;
        return pollMs;
      }
      logger.warn({ chain_gid: chain.gid, err }, 'failed to compare coins, will retry');
      // Fewer, where the node cannot answer for so many.
      if (!(err instanceof BlockNotFoundError)) this.#addressesMax = Math.max(this.#addressesMax >> 3, 1);
      const waitMs = this.#retryMs;
      this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX);
      return waitMs;
    } finally {
      end.abort();
      await watching;
    }
  }

  async #watch(isDue: () => Promise<boolean>, end: AbortController): Promise<void> {
    const ending = AbortSignal.any([this.#deps.signal, end.signal]);
    while (!ending.aborted) {
      await delay(this.#deps.pollMs, undefined, { signal: ending }).catch(() => undefined);
      if (!ending.aborted && (await isDue().catch(() => false))) end.abort();
    }
  }
}
