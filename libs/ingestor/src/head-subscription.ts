import type { Logger } from '@chainwatch/telemetry';
import type { BlockHeader, ChainClient } from '@chainwatch/chain-core';

interface SubscriptionOptions {
  readonly client: Pick<ChainClient, 'subscribeHeads'>;
  readonly onHead: (head: BlockHeader) => void;
  readonly log: Logger;
}

const RETRY_MIN_MS = 200;
const RETRY_MAX_MS = 15_000;
/** After this many new heads that only polling saw, the subscription counts as dead. */
const MISSED_MAX = 2;

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
