// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/platform/telemetry';
import type { Bus } from '@chainwatch/data/bus';
import {
  BlockNotFoundError,
  ChainError,
  describePublicly,
  Signal,
  type ActiveChain,
} from '@chainwatch/chain-core';
import type { Database } from '@chainwatch/data/db';
import type { EventRelay } from '@chainwatch/data/outbox';
import { ShareLostError, type OwnedShare } from '@chainwatch/data/ownership';
import { isItemFault } from '@chainwatch/data/quarantine';
import type { BalanceReader } from '../read/balance-reader.ts';
import { READS_MAX, runBalanceStep, type StepResult } from './balance-step.ts';
import { askAgain } from './set-aside-poison.ts';
import { createBalanceStore, type BalanceStore } from '../store/balance-store.ts';
import { BalanceRound, type RoundOptions } from '../round/balance-round.ts';
import { writeBalanceState, type BalanceState } from '../store/write-balance-state.ts';

export interface ChainWorkerDeps {
  readonly db: Database;
  readonly chain: ActiveChain;
  readonly share: OwnedShare;
  readonly signal: AbortSignal;
  /** Whether the node answers. */
  readonly reportReach: (isReachable: boolean) => void;
  /** Rejects with the reason when the chain cannot be read. */
  readonly openReader: (chain: ActiveChain) => Promise<BalanceReader>;
  readonly relay: Pick<EventRelay<'balance-service'>, 'publish' | 'catchUp'>;
  readonly bus: Pick<Bus<'balance-service'>, 'consume'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly clock: () => Date;
  readonly round: RoundOptions;
  /** Pause between two looks for work when no message wakes it. Default 5,000. */
  readonly idleMs?: number;
}

/** The state of a chain that this replica owns. */
export interface ChainReport {
  readonly status: 'following' | 'stalled';
  readonly reason?: string | undefined;
}

const IDLE_MS = 5_000;
const OPEN_RETRY_MS = 1_000;
const TX_KINDS = ['tx.detected', 'tx.confirmed', 'tx.reorged'] as const;
/** While the analyzer has to move first. */
const WAIT_MS = 100;
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 5_000;
const BEAT_MS = 10_000;
/** Steps that failed one after the other, for which an item may be at fault, before it is looked for. */
const FAULTS_MAX = 2;

/** Keeps the balances of one chain while this replica owns them (kind `balances` of the owners table). */
export class ChainWorker {
  readonly #deps: ChainWorkerDeps;
  readonly #wake = new Signal();
  #round: BalanceRound | undefined;
  /** Why nothing moves, in the words for the operator. */
  #reason: string | undefined;
  #state: BalanceState = { status: 'following', reason: undefined };
  #writtenState: BalanceState | undefined;

  constructor(deps: ChainWorkerDeps) {
    this.#deps = deps;
  }

  get report(): ChainReport {
    return this.#reason === undefined ? { status: 'following' } : { status: 'stalled', reason: this.#reason };
  }

  /** Age of the oldest reading of a balance, seconds; in the first round, since it began. Undefined: there are no rounds. */
  get roundAgeSeconds(): number | undefined {
    return this.#round?.ageSeconds;
  }

  /** There may be work: look now. */
  notify = (): void => this.#wake.notify();

  /** Until the signal aborts. */
  async run(): Promise<void> {
    const { db, share, signal } = this.#deps;
    const store = createBalanceStore(db, share);
    // Hints only: the work itself stands in balance_reads, so that nothing depends on a message.
    const stopConsuming = this.#deps.bus.consume(TX_KINDS, [this.#deps.chain.gid], {
      onMessage: this.notify,
      onOpen: this.notify,
    });
    // Publishes what the previous owner left.
    void this.#deps.relay.catchUp();
    let client: BalanceReader | undefined;
    // By time: a step may last longer than a row may be old. A failed write does no harm, the row gets old, as it should.
    const beating = setInterval(() => void this.#beat(store).catch(() => undefined), BEAT_MS);
    try {
      client = await this.#open(store, signal);
      if (client !== undefined) await this.#work(store, client, signal);
    } finally {
      clearInterval(beating);
      client?.close();
      await stopConsuming();
    }
  }

  /** A chain that cannot be opened also reports its state: otherwise it would seem to have no owner. */
  async #open(store: BalanceStore, signal: AbortSignal): Promise<BalanceReader | undefined> {
    while (!signal.aborted) {
      try {
        return await this.#deps.openReader(this.#deps.chain);
      } catch (error) {
        this.#recordFailure(error);
        await this.#writeState(store);
        await this.#rest(OPEN_RETRY_MS, signal);
      }
    }
    return undefined;
  }

  async #work(store: BalanceStore, client: BalanceReader, signal: AbortSignal): Promise<void> {
    const { chain, clock } = this.#deps;
    let retryMs = RETRY_MS_MIN;
    let readsMax = READS_MAX;
    let faults = 0;
    let askedAtMs = -Infinity;
    this.#round = this.#createRound(store, client, signal);
    this.#recordProgress();
    while (!signal.aborted) {
      try {
        await this.#writeState(store);
        const startedMs = performance.now();
        if (startedMs - askedAtMs >= BEAT_MS) {
          await askAgain(store, chain.gid, askedAtMs === -Infinity);
          askedAtMs = startedMs;
          await this.#round.lookAtAge();
        }
        const isSuspect = faults >= FAULTS_MAX;
        const result = await runBalanceStep({
          ...{ store, client, clock, signal, isSuspect },
          limits: { reads: readsMax },
          hasRounds: this.#deps.round.callsPerSecond > 0,
        });
        const tookMs = performance.now() - startedMs;
        this.#deps.reportReach(true);
        retryMs = RETRY_MS_MIN;
        faults = 0;
        readsMax = Math.min(readsMax * 2, READS_MAX);
        await this.#finishStep(result, tookMs, signal);
      } catch (error) {
        // The work in flight is rolled back, and the share is released cleanly.
        if (signal.aborted) return;
        if (error instanceof ShareLostError) throw error;
        this.#recordFailure(error);
        faults = isItemFault(error) ? faults + 1 : 0;
        // Smaller steps, so that what the node cannot answer is separated from the rest.
        if (error instanceof ChainError) {
          // A node that only lacks a block does answer.
          this.#deps.reportReach(error instanceof BlockNotFoundError);
          if (!(error instanceof BlockNotFoundError)) readsMax = Math.max(readsMax >> 3, 1);
          // Its head may move while it is asked.
          else if (client.tellsHeadOnly === true) readsMax = Math.max(readsMax >> 1, 1);
        }
        await this.#rest(retryMs, signal);
        retryMs = Math.min(retryMs * 2, error instanceof BlockNotFoundError ? 500 : RETRY_MS_MAX);
      }
    }
  }

  async #finishStep(result: StepResult, tookMs: number, signal: AbortSignal): Promise<void> {
    if (result.type === 'waiting' && result.reason !== undefined)
      this.#setStalled(result.reason, result.reason);
    else this.#recordProgress();
    if (result.type === 'done') this.#deps.relay.publish(result.events);
    if (result.type === 'waiting') return this.#rest(WAIT_MS, signal);
    if (result.type === 'done' && result.hasMore) {
      // A bulk import leaves the node and the database to others for half of the time. Work that somebody waits for ends the rest.
      if (result.isBulk) await this.#rest(tookMs, signal);
      return;
    }
    // What is asked for comes first: one piece of the round, then another look.
    const dueMs = (await this.#round?.step()) ?? Infinity;
    await this.#rest(Math.min(dueMs, this.#deps.idleMs ?? IDLE_MS), signal);
  }

  #createRound(store: BalanceStore, client: BalanceReader, signal: AbortSignal): BalanceRound {
    const { chain, clock, relay, logger, round } = this.#deps;
    return new BalanceRound({
      ...{ ...round, store, client, clock, signal },
      publish: (events) => relay.publish(events),
      onFailure: (err) =>
        logger.warn({ err, chain_gid: chain.gid }, 'failed to read balances again, will retry'),
    });
  }

  #recordProgress(): void {
    this.#reason = undefined;
    this.#state = { status: 'following', reason: undefined };
  }

  #recordFailure(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#reason !== reason)
      this.#deps.logger.warn(
        { err: error, chain_gid: this.#deps.chain.gid },
        'failed to read balances, will retry',
      );
    this.#setStalled(reason, describePublicly(error));
  }

  #setStalled(reason: string, publicReason: string): void {
    this.#reason = reason;
    this.#state = { status: 'stalled', reason: publicReason };
  }

  /** Writes the state when it changed. */
  async #writeState(store: BalanceStore): Promise<void> {
    const { status, reason } = this.#state;
    if (status !== this.#writtenState?.status || reason !== this.#writtenState.reason)
      await this.#beat(store);
  }

  async #beat(store: BalanceStore): Promise<void> {
    const state = this.#state;
    await store.write((sql) => writeBalanceState(sql, this.#deps.chain.gid, state));
    this.#writtenState = state;
  }

  #rest(delayMs: number, signal: AbortSignal): Promise<void> {
    return this.#wake.wait(delayMs, signal);
  }
}
