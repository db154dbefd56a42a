// SPDX-License-Identifier: Apache-2.0
import { setMaxListeners } from 'node:events';
import {
  BlockTime,
  ChainClientError,
  ChainError,
  describePublicly,
  type BlockHeader,
  type ChainClient,
  toTimeMs,
} from '@chainwatch/chain-core';
import { ShareLostError } from '@chainwatch/data/ownership';
import { ChainFollower, type FollowOutcome, type FollowerOptions } from './chain-follower.ts';
import type { ChainReport } from './chain-report.ts';
import type { ChainReset, ChainStatus, FeedBatch } from './feed.ts';
import { FinalityWatch, findFinalRef } from './finality-watch.ts';
import { HeadInbox, HeadPoller, HeadSubscription } from './head-intake.ts';
import { pollDelay } from './poll-delay.ts';

export interface RunnerOptions extends Omit<FollowerOptions, 'client' | 'onCommit' | 'isInterrupted'> {
  readonly client: FollowerOptions['client'] &
    Pick<ChainClient, 'network' | 'findFinalized' | 'subscribeHeads' | 'close'>;
  /** Kept current by the runner. */
  readonly report: ChainReport;
  /** Whether the node answers. */
  readonly reportReach: (isReachable: boolean) => void;
}

/** After this many failures in a row, or block times of waiting, the chain is reported as stalled. */
const STALLED_FAILURES = 3;
const STALLED_BLOCKS = 3;
const STALLED_MIN_MS = 3_000;
/** Finality moves more slowly than the fastest heads. */
const FINALITY_MS_MIN = 250;
/** Entries published again at the start: the last process may have died between commit and publication. */
const REPUBLISHED = 64;
const PRUNE_MS = 60_000;
const RESET_MS = 1_000;
const FINALITY_FAILURES_LOGGED = 5;
/** Pause between parts of finality, so that each one has reached the receivers before the next. */
const FINAL_PARTS_APART_MS = 25;

/**
 * Follows one chain until `signal` aborts or another owner takes over. Heads arrive by push and by polling in one
 * inbox. One loop processes it, so that all commits happen in order.
 */
export class ChainRunner {
  readonly #options: RunnerOptions;
  readonly #blockTime: BlockTime;
  readonly #follower: ChainFollower;
  readonly #inbox = new HeadInbox();
  readonly #poller: HeadPoller;
  readonly #subscription: HeadSubscription;
  readonly #finality: FinalityWatch;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #failures = 0;
  #waitingSince: number | undefined;
  #isLoaded = false;
  #storedStatus = '';
  #reset: ChainReset | undefined;
  #retry: NodeJS.Timeout | undefined;
  #goOn: NodeJS.Timeout | undefined;

  constructor(options: RunnerOptions) {
    const { client, log, report } = options;
    this.#options = options;
    this.#blockTime = new BlockTime(client.network);
    const blockTime = this.#blockTime;
    // A head that is not here yet is waited for from now on.
    report.newestHead = { hash: '', timestampMs: Date.now(), seenAtMs: Date.now() };
    report.blockTime = client.network.isLocal === true ? undefined : blockTime;
    this.#signal = AbortSignal.any([options.signal, this.#stop.signal]);
    const signal = this.#signal;
    // Every request in flight listens to the signal: the client's concurrency bounds them, not the default of
    // 10.
    setMaxListeners(0, signal);
    this.#follower = new ChainFollower({
      ...options,
      signal,
      blockTime,
      onCommit: (batch) => this.#recordCommit(batch),
      isInterrupted: () => this.#reset !== undefined,
    });
    this.#subscription = new HeadSubscription({ client, log, onHead: (head) => this.#recordHead(head) });
    this.#poller = new HeadPoller({
      client,
      blockTime,
      signal,
      isPushed: () => this.#subscription.isLive,
      onHead: (head) => this.#recordPolledHead(head),
      onError: (error) => this.#inbox.putError(error),
    });
    this.#finality = new FinalityWatch({
      intervalMs: () => Math.max(blockTime.ms, Math.min(blockTime.configuredMs, FINALITY_MS_MIN)),
      signal,
      readHead: () => this.#follower.state.head,
      findFinalRef: (head) => findFinalRef({ client, policy: client.network.confirmation, signal }, head),
      onRef: (ref) => {
        this.#follower.setFinality(ref);
        this.#inbox.notify();
      },
      // Nothing is confirmed while this fails although heads go on: it must be noticed, but not logged at
      // every block.
      onError: (error, failures) =>
        log[failures % FINALITY_FAILURES_LOGGED === 0 ? 'warn' : 'debug'](
          { err: error, failures },
          'failed to read finality',
        ),
    });
  }

  /** Resolves when the chain is not followed any more and nothing is under way. */
  async run(): Promise<'stopped' | 'fenced'> {
    const pruning = setInterval(() => void this.#prune(), PRUNE_MS);
    const looking = setInterval(() => void this.#lookForReset(), RESET_MS);
    const helpers = [this.#poller.run(), this.#finality.run()];
    this.#subscription.start();
    try {
      return await this.#work();
    } finally {
      clearInterval(pruning);
      clearInterval(looking);
      clearTimeout(this.#retry);
      clearTimeout(this.#goOn);
      this.#subscription.stop();
      this.#stop.abort();
      await Promise.all(helpers);
      this.#options.client.close();
    }
  }

  /** Publishes the newest entries again, for a bus that lost them. */
  async republish(limit: number): Promise<void> {
    const { store, publisher } = this.#options;
    publisher.publish(await store.readEntries(Math.max(this.#follower.state.feedSeq - limit, 0), limit));
  }

  async #work(): Promise<'stopped' | 'fenced'> {
    for (; !this.#signal.aborted; await this.#inbox.wait(this.#signal)) {
      const { heads, errors } = this.#inbox.drain();
      try {
        if (!this.#isLoaded) await this.#load();
        if (this.#reset !== undefined) await this.#runReset(this.#reset);
        if (heads.length > 0) await this.#recordOutcome(await this.#follower.followAll(heads));
        if (!(await this.#follower.commitFinality())) this.#doubtBranch();
        clearTimeout(this.#goOn);
        if (this.#follower.hasFinality)
          this.#goOn = setTimeout(() => this.#inbox.notify(), FINAL_PARTS_APART_MS);
        for (const error of errors) await this.#recordFailure(error);
      } catch (error) {
        if (error instanceof ShareLostError) return 'fenced';
        this.#isLoaded = false;
        if (!this.#signal.aborted && !(await this.#tryRecordFailure(error))) return 'fenced';
      }
    }
    return 'stopped';
  }

  async #load(): Promise<void> {
    const isFirst = this.#follower.state.feedSeq === 0;
    const { head, finalized } = await this.#follower.load();
    Object.assign(this.#options.report, { head, finalized });
    if (isFirst) await this.republish(REPUBLISHED);
    this.#reset = await this.#options.store.findReset();
    this.#isLoaded = true;
  }

  /** Runs beside the loop, which may be busy catching up for long. */
  async #lookForReset(): Promise<void> {
    try {
      const reset = await this.#options.store.findReset();
      if (reset === undefined || this.#reset !== undefined) return;
      this.#reset = reset;
      this.#inbox.notify();
    } catch (error) {
      this.#options.log.debug({ err: error }, 'failed to look for resets');
    }
  }

  async #runReset(reset: ChainReset): Promise<void> {
    await this.#follower.reset(reset);
    this.#reset = undefined;
    Object.assign(this.#options.report, {
      head: this.#follower.state.head,
      finalized: this.#follower.state.finalized,
    });
    this.#poller.pollNow();
  }

  #recordHead(head: BlockHeader): void {
    this.#options.reportReach(true);
    const { report } = this.#options;
    report.nodeHeadNumber = head.number;
    this.#blockTime.noteHeader(head);
    if (report.newestHead?.hash !== head.hash)
      report.newestHead = { hash: head.hash, timestampMs: toTimeMs(head), seenAtMs: Date.now() };
    this.#inbox.putHead(head);
  }

  #recordPolledHead(head: BlockHeader): void {
    const known = this.#follower.state.head;
    if (known !== undefined && head.number > known.number) this.#subscription.recordMissed();
    this.#recordHead(head);
  }

  #recordCommit({ next, status }: FeedBatch): void {
    const { report } = this.#options;
    if (report.head?.hash !== next.head?.hash) {
      this.#poller.recordHead();
      this.#finality.recordHead();
    }
    report.head = next.head;
    report.finalized = next.finalized;
    if (status === undefined) return;
    report.status = status;
    report.reason = undefined;
    this.#storedStatus = describeStatus(status, undefined);
  }

  async #recordOutcome(outcome: FollowOutcome): Promise<void> {
    if (outcome.type === 'following') {
      this.#failures = 0;
      this.#waitingSince = undefined;
      await this.#setStatus('following', undefined);
      return;
    }
    this.#waitingSince ??= Date.now();
    const patienceMs = Math.max(STALLED_BLOCKS * this.#blockTime.ms, STALLED_MIN_MS);
    if (Date.now() - this.#waitingSince >= patienceMs) await this.#setStatus('stalled', outcome.reason);
  }

  async #recordFailure(error: unknown): Promise<void> {
    const { log, reportReach } = this.#options;
    this.#failures += 1;
    if (error instanceof ChainClientError) reportReach(false);
    log.warn(
      { err: error, failures: this.#failures, height: this.#follower.state.head?.number },
      'failed to follow chain',
    );
    const isLasting = error instanceof ChainError && !error.retryable;
    if (isLasting || this.#failures >= STALLED_FAILURES)
      await this.#setStatus('stalled', describeFailure(error), describePublicly(error));
    clearTimeout(this.#retry);
    const delayMs = pollDelay({
      blockTimeMs: this.#blockTime.ms,
      sinceHeadMs: 0,
      isPushed: false,
      failures: this.#failures,
    });
    this.#retry = setTimeout(() => this.#poller.pollNow(), delayMs);
  }

  /**
   * `false`: the chain is not ours any more. When the database is away and the status cannot be written, the report
   * keeps it.
   */
  async #tryRecordFailure(error: unknown): Promise<boolean> {
    try {
      await this.#recordFailure(error);
    } catch (writeError) {
      if (writeError instanceof ShareLostError) return false;
      this.#retry = setTimeout(() => this.#poller.pollNow(), STALLED_MIN_MS / STALLED_FAILURES);
    }
    return true;
  }

  /** The report is for the operator; the stored status is shown to API clients. */
  async #setStatus(status: ChainStatus, reason: string | undefined, publicReason = reason): Promise<void> {
    const { report, store } = this.#options;
    report.status = status;
    report.reason = reason;
    const described = describeStatus(status, reason);
    if (described === this.#storedStatus) return;
    await store.setStatus(status, publicReason);
    this.#storedStatus = described;
  }

  /** The node finalized another block than ours at this height: its head tells where the branches part. */
  #doubtBranch(): void {
    this.#options.log.warn(
      { height: this.#follower.state.head?.number },
      'the node was final on another block than ours: its head was read again',
    );
    this.#poller.pollNow();
  }

  async #prune(): Promise<void> {
    try {
      const pruned = await this.#options.store.prune();
      if (pruned > 0) this.#options.log.debug({ entries: pruned }, 'old feed entries were pruned');
    } catch (error) {
      this.#options.log.debug({ err: error }, 'failed to prune feed');
    }
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof ChainError) return error.publicMessage;
  return error instanceof Error ? error.message : String(error);
}

function describeStatus(status: ChainStatus, reason: string | undefined): string {
  return `${status} ${reason ?? ''}`;
}
