import type { Logger } from '@chainwatch/telemetry';
import { describePublicly, IncompleteBlockError } from '@chainwatch/chain-core';
import type { ChainFeed } from '../feed/chain-feed.ts';
import { FeedGapError } from '../feed/feed-queue.ts';
import { FeedMismatchError } from '../feed/next-segment.ts';
import type { ChainStatusReporter } from './chain-status-reporter.ts';

interface RecoveryDeps {
  readonly chainGid: string;
  readonly logger: Pick<Logger, 'warn'>;
  readonly feed: Pick<ChainFeed, 'reset'>;
  readonly status: Pick<ChainStatusReporter, 'reportStall'>;
}

const RETRY_MS_FIRST = 50;
const RETRY_MS_MAX = 5_000;
/** Errors that mean that something read ahead is wrong: it is read again. */
const FEED_ERRORS = [FeedGapError, FeedMismatchError, IncompleteBlockError];

/**
 * Handles a failed step: reports it, reads the feed again if the feed was at fault, and rests longer after each
 * failure.
 */
export class Recovery {
  readonly #deps: RecoveryDeps;
  #failures = 0;

  constructor(deps: RecoveryDeps) {
    this.#deps = deps;
  }

  /** Whether the last step failed. */
  get isActive(): boolean {
    return this.#failures > 0;
  }

  finish(): void {
    this.#failures = 0;
  }

  /** Returns how long to rest. */
  async fail(err: unknown): Promise<number> {
    const { chainGid, logger, feed, status } = this.#deps;
    logger.warn({ chain_gid: chainGid, err }, 'step failed, retrying');
    await status.reportStall(describePublicly(err)).catch(() => undefined);
    this.#failures += 1;
    if (FEED_ERRORS.some((type) => err instanceof type)) feed.reset();
    return Math.min(RETRY_MS_FIRST * 2 ** this.#failures, RETRY_MS_MAX);
  }
}
