// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { EvmChain } from '../evm/evm-chain.ts';
import type { Receiver } from '../receiver.ts';

interface Payment {
  readonly hash: string;
  readonly minedAtMs: number;
}

export interface ToldPayment extends Payment {
  /** From mined until detected by the receiver; Infinity: it has not come. */
  readonly tookMs: number;
}

const PAUSE_MS = 250;
/** More than a payment takes when nothing happens. */
const USUAL_MS = 1_000;

/** Pays the payee all the time, a block for each payment, and knows how long each took to be told. */
export class Payer {
  readonly #chain: EvmChain;
  readonly #receiver: Receiver;
  readonly #payments: Payment[] = [];
  readonly #running: Promise<void>;
  #isStopped = false;

  constructor(chain: EvmChain, receiver: Receiver) {
    this.#chain = chain;
    this.#receiver = receiver;
    this.#running = this.#run();
  }

  get count(): number {
    return this.#payments.length;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /**
   * The slowest payment of those mined in this span of time.
   * One mined right before the end may be caught by what happens next: it belongs to the next span.
   */
  slowest(fromMs: number, toMs: number): ToldPayment | undefined {
    const toldAtMs = new Map<string, number>();
    for (const { type, transactionHash, receivedAtMs } of this.#receiver.events.values())
      if (type === 'transaction.detected') toldAtMs.set(transactionHash!, receivedAtMs);
    return this.#payments
      .filter(({ minedAtMs }) => minedAtMs >= fromMs - USUAL_MS && minedAtMs < toMs - USUAL_MS)
      .map((payment) => ({
        ...payment,
        tookMs: (toldAtMs.get(payment.hash) ?? Number.POSITIVE_INFINITY) - payment.minedAtMs,
      }))
      .sort((one, other) => other.tookMs - one.tookMs)[0];
  }

  async #run(): Promise<void> {
    const { actor } = this.#chain;
    const [from, to] = actor.accounts;
    while (!this.#isStopped) {
      const hash = await actor.sendEther(from!, to!, 7n);
      await actor.mine();
      this.#payments.push({ hash, minedAtMs: Date.now() });
      await delay(PAUSE_MS);
    }
  }
}
