// SPDX-License-Identifier: Apache-2.0
import { describePublicly, IncompleteBlockError } from '@chainwatch/chain-core';
import { isItemFault } from '@chainwatch/data/quarantine';
import type { Logger } from '@chainwatch/platform/telemetry';
import { writeStalled } from '../commit/analyzer-state.ts';
import type { Body } from '../feed/body-prefetcher.ts';
import type { ChainFeed } from '../feed/chain-feed.ts';
import { FeedGapError } from '../feed/feed-queue.ts';
import { FeedMismatchError } from '../feed/next-segment.ts';
import type { ChainContext } from '../model/chain-context.ts';
import type { AnalyzerStatus } from '../model/chain-cursor.ts';

interface ReporterDeps {
  readonly logger: Logger;
  readonly chain: ChainContext;
}

/** A body that takes longer than this is reported as a stall. */
const STALL_MS = 3_000;

/** Reports the status of a chain, and why it stands still, to the log and the database when it changes. */
export class ChainStatusReporter {
  readonly #deps: ReporterDeps;
  #status: AnalyzerStatus = 'catching_up';
  #reason: string | undefined;
  #waitingSince = 0;

  constructor(deps: ReporterDeps) {
    this.#deps = deps;
  }

  get status(): AnalyzerStatus {
    return this.#status;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  /** After a committed step, which has written the status itself. */
  reportStep(status: AnalyzerStatus): void {
    this.#status = status;
    this.#reason = undefined;
  }

  /** Nothing waits for a body any more. */
  reportProgress(): void {
    this.#waitingSince = 0;
  }

  /** The body of the next block is missing. */
  async reportWaiting(
    { number, hash }: Body['entry'],
    trouble: string | undefined,
    nowMs: number,
  ): Promise<void> {
    if (this.#waitingSince === 0) this.#waitingSince = nowMs;
    const isSlow = nowMs - this.#waitingSince >= STALL_MS;
    if (trouble === undefined && !isSlow) return;
    await this.reportStall(trouble ?? `block ${number} ${hash} is being read for more than ${STALL_MS} ms`);
  }

  reportTrouble = (reason: string): void => {
    void this.reportStall(reason).catch(() => undefined);
  };

  async reportStall(reason: string): Promise<void> {
    if (this.#status === 'stalled' && this.#reason === reason) return;
    this.#status = 'stalled';
    this.#reason = reason;
    const { logger, chain } = this.#deps;
    logger.error({ chain_gid: chain.gid, reason }, 'the chain stalled');
    await writeStalled(chain, reason);
  }
}

interface RecoveryDeps {
  readonly chainGid: string;
  readonly logger: Pick<Logger, 'warn'>;
  readonly feed: Pick<ChainFeed, 'reset'>;
  readonly status: Pick<ChainStatusReporter, 'reportStall'>;
}

const RETRY_MS_FIRST = 50;
const RETRY_MS_MAX = 5_000;
/** Before the transaction at fault is looked for. */
const FAULTS_MAX = 2;
/** Errors that mean that something read ahead is wrong: it is read again. */
const FEED_ERRORS = [FeedGapError, FeedMismatchError, IncompleteBlockError];

/**
 * Handles a failed step: reports it, reads the feed again if the feed was at fault, and rests longer after each
 * failure.
 */
export class Recovery {
  readonly #deps: RecoveryDeps;
  #failures = 0;
  #faults = 0;

  constructor(deps: RecoveryDeps) {
    this.#deps = deps;
  }

  /** Whether the last step failed. */
  get isActive(): boolean {
    return this.#failures > 0;
  }

  /** Steps failed one after the other, and maybe because of a single transaction. */
  get isSuspect(): boolean {
    return this.#faults >= FAULTS_MAX;
  }

  finish(): void {
    this.#failures = 0;
    this.#faults = 0;
  }

  /** Returns how long to rest. */
  async fail(err: unknown): Promise<number> {
    const { chainGid, logger, feed, status } = this.#deps;
    logger.warn({ chain_gid: chainGid, err }, 'step failed, retrying');
    await status.reportStall(describePublicly(err)).catch(() => undefined);
    this.#failures += 1;
    this.#faults = isItemFault(err) ? this.#faults + 1 : 0;
    if (FEED_ERRORS.some((type) => err instanceof type)) feed.reset();
    return Math.min(RETRY_MS_FIRST * 2 ** this.#failures, RETRY_MS_MAX);
  }
}
