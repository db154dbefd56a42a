import { Signal } from '@chainwatch/chain-core';
import type { BlockHeader, ChainClient } from '@chainwatch/chain-core';
import { pollDelay } from './poll-delay.ts';

interface PollerOptions {
  readonly client: Pick<ChainClient, 'network' | 'readHead'>;
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
    const { client, isPushed, onHead, onError, signal } = this.#options;
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
        pollDelay({ blockTimeMs: client.network.blockTimeMs, sinceHeadMs, isPushed: isPushed(), failures }),
        signal,
      );
    }
  }
}
