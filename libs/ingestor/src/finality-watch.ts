// SPDX-License-Identifier: Apache-2.0
import { Signal } from '@chainwatch/chain-core';
import type { BlockRef, ChainClient, ConfirmationPolicy } from '@chainwatch/chain-core';
import type { FinalRef } from './chain-follower.ts';

interface WatchOptions {
  /** Shortest time between two questions to the node; longest time without one. */
  readonly intervalMs: () => number;
  readonly readHead: () => BlockRef | undefined;
  readonly findFinalRef: (head: BlockRef) => Promise<FinalRef | undefined>;
  readonly onRef: (ref: FinalRef) => void;
  /** `failures`: in a row, this one included. */
  readonly onError: (error: unknown, failures: number) => void;
  readonly signal: AbortSignal;
}

/** Reads finality beside the head path, never on it: after each head, at most once per interval. */
export class FinalityWatch {
  readonly #options: WatchOptions;
  readonly #wake = new Signal();

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  recordHead(): void {
    this.#wake.notify();
  }

  async run(): Promise<void> {
    const { intervalMs, readHead, findFinalRef, onRef, onError, signal } = this.#options;
    const spacing = new Signal();
    let failures = 0;
    while (!signal.aborted) {
      await this.#wake.wait(intervalMs(), signal);
      const head = readHead();
      if (signal.aborted || head === undefined) continue;
      try {
        const ref = await findFinalRef(head);
        failures = 0;
        if (ref !== undefined) onRef(ref);
      } catch (error) {
        failures += 1;
        onError(error, failures);
      }
      await spacing.wait(intervalMs(), signal);
    }
  }
}

interface Finality {
  readonly client: Pick<ChainClient, 'findFinalized' | 'findHeaderByNumber'>;
  readonly policy: ConfirmationPolicy;
  readonly signal: AbortSignal;
}

/**
 * What may be final while our head is `head`: the node's answer if the policy asks for it and the node has one,
 * else the depth rule.
 */
export async function findFinalRef(
  { client, policy, signal }: Finality,
  head: BlockRef,
): Promise<FinalRef | undefined> {
  const told = policy.type === 'tag' ? await client.findFinalized(signal) : undefined;
  if (told === undefined) {
    const number = head.number - policy.depth + 1;
    return number < 0 ? undefined : { number };
  }
  if (told.number <= head.number) return told;
  // The node's final block is above our head: our head is final too if the node has it on its chain.
  const header = await client.findHeaderByNumber(head.number, signal);
  return header === undefined ? undefined : { number: header.number, hash: header.hash };
}
