// SPDX-License-Identifier: Apache-2.0
import { Signal } from '@chainwatch/chain-core';
import type { BlockHeader, BlockTime, ChainClient } from '@chainwatch/chain-core';
import type { Logger } from '@chainwatch/platform/telemetry';
import { pollDelay } from './poll-delay.ts';

// How heads come in: the subscription brings them where the node pushes, the poller always; both put them into the inbox.

const RETRY_MIN_MS = 200;
const RETRY_MAX_MS = 15_000;
/** After this many new heads that only polling saw, the subscription counts as dead. */
const MISSED_MAX = 2;
const HEADS_MAX = 512;

interface SubscriptionOptions {
  readonly client: Pick<ChainClient, 'subscribeHeads'>;
  readonly onHead: (head: BlockHeader) => void;
  readonly log: Logger;
}

/** Keeps a subscription to new heads alive where the node offers one. */
export class HeadSubscription {
  readonly #options: SubscriptionOptions;
  #unsubscribe: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #retryMs = RETRY_MIN_MS;
  #missed = 0;
  #isLive = false;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
  }

  /** Whether heads are arriving. */
  get isLive(): boolean {
    return this.#isLive;
  }

  start(): void {
    const { client, onHead, log } = this.#options;
    if (client.subscribeHeads === undefined) return;
    // A replaced subscription may still call back late: its heads are ignored.
    let isCurrent = true;
    const stop = client.subscribeHeads(
      (head) => {
        if (!isCurrent) return;
        this.#isLive = true;
        this.#missed = 0;
        this.#retryMs = RETRY_MIN_MS;
        onHead(head);
      },
      (error) => {
        if (!isCurrent) return;
        log.debug({ err: error, retry_ms: this.#retryMs }, 'the subscription to heads ended');
        this.#restart();
      },
    );
    this.#unsubscribe = () => {
      isCurrent = false;
      stop();
    };
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#isLive = false;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  /** Records a new head that polling found and the subscription did not push. */
  recordMissed(): void {
    if (!this.#isLive) return;
    this.#missed += 1;
    if (this.#missed < MISSED_MAX) return;
    this.#options.log.warn({ missed: this.#missed }, 'the subscription to heads went silent and was renewed');
    this.#restart();
  }

  #restart(): void {
    this.stop();
    this.#missed = 0;
    this.#timer = setTimeout(() => this.start(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS);
  }
}

interface PollerOptions {
  readonly client: Pick<ChainClient, 'readHead'>;
  readonly blockTime: Pick<BlockTime, 'ms'>;
  readonly isPushed: () => boolean;
  readonly onHead: (head: BlockHeader) => void;
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Asks for the head at a pace that follows the chain's block time, whatever the subscription does. */
export class HeadPoller {
  readonly #options: PollerOptions;
  readonly #wake = new Signal();
  #headAt = Date.now();

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** Tells the poller that the chain has grown. */
  recordHead(): void {
    this.#headAt = Date.now();
  }

  pollNow(): void {
    this.#wake.notify();
  }

  async run(): Promise<void> {
    const { client, blockTime, isPushed, onHead, onError, signal } = this.#options;
    for (let failures = 0; !signal.aborted; ) {
      try {
        onHead(await client.readHead(signal));
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        onError(error);
      }
      const sinceHeadMs = Date.now() - this.#headAt;
      await this.#wake.wait(
        pollDelay({ blockTimeMs: blockTime.ms, sinceHeadMs, isPushed: isPushed(), failures }),
        signal,
      );
    }
  }
}

interface Inbox {
  readonly heads: readonly BlockHeader[];
  readonly errors: readonly unknown[];
}

/** What the chain's loop has to look at. Bounded: when heads pile up, the newest are enough, the rest is fetched. */
export class HeadInbox {
  #heads: BlockHeader[] = [];
  #errors: unknown[] = [];
  #wake: (() => void) | undefined;
  #isNudged = false;

  putHead(head: BlockHeader): void {
    if (this.#heads.length >= HEADS_MAX) this.#heads = this.#heads.slice(-HEADS_MAX / 2);
    this.#heads.push(head);
    this.#wake?.();
  }

  putError(error: unknown): void {
    this.#errors = [error];
    this.#wake?.();
  }

  /** Wakes the loop for something other than a head. */
  notify(): void {
    this.#isNudged = true;
    this.#wake?.();
  }

  /** Resolves at once when something is there, and when `signal` aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#isNudged || this.#heads.length > 0 || this.#errors.length > 0) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        signal.removeEventListener('abort', end);
        resolve();
      };
      signal.addEventListener('abort', end);
      this.#wake = end;
    });
    this.#wake = undefined;
  }

  drain(): Inbox {
    const taken = { heads: this.#heads, errors: this.#errors };
    this.#heads = [];
    this.#errors = [];
    this.#isNudged = false;
    return taken;
  }
}
