// SPDX-License-Identifier: Apache-2.0
import type { FailoverClient } from '@chainwatch/chain-core';
import type { Database } from '@chainwatch/data/db';
import { ShareLostError } from '@chainwatch/data/ownership';
import type { Advance } from './commit-blocks.ts';
import type { AssetRegistry } from '../match/asset-registry.ts';
import type { BlockRing } from '../feed/chain-feed.ts';
import type { ChainContext } from '../model/chain-context.ts';
import type { FamilyWatch } from '../watch/family-watch.ts';
import type { PassedBlockReader } from '../match/find-retroactive-candidates.ts';
import type { OutboxEvent } from '../model/planned-event.ts';

/** What the chain's only writer works with, beside the feed. */
export interface WriterTools {
  readonly db: Database;
  readonly chain: ChainContext;
  readonly client: Pick<FailoverClient, 'proveSenders' | 'clients' | 'readBlockElsewhere'>;
  readonly watch: FamilyWatch;
  readonly assets: AssetRegistry;
  readonly ring: BlockRing;
}

/** What a single job gets as well. */
export interface WriterContext extends WriterTools {
  readonly readBody: PassedBlockReader;
  /** Where the chain stands. */
  readonly advance: Advance;
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** Has committed when it resolves; then its events are published. */
export type WriterWork<T> = (
  context: WriterContext,
) => Promise<{ readonly value: T; readonly events: readonly OutboxEvent[] }>;

interface Job {
  readonly work: WriterWork<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Jobs from outside the feed; the chain's only writer runs them one at a time, in order. */
export class WriterQueue {
  readonly #onChange: () => void;
  readonly #jobs: Job[] = [];
  #end: { readonly error: unknown } | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get hasWork(): boolean {
    return this.#jobs.length > 0;
  }

  /** Resolves when the work is committed, rejects when it failed or the chain was given back. */
  enqueue<T>(work: WriterWork<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#end !== undefined) return reject(this.#end.error);
      this.#jobs.push({ work, resolve, reject });
      this.#onChange();
    });
  }

  /** The chain was released: no more jobs run here. */
  cancel(error: unknown): void {
    this.#end = { error };
    for (const { reject } of this.#jobs.splice(0)) reject(error);
  }

  /** Runs the oldest job. Whoever enqueued it gets its failure. @throws ShareLostError */
  async runNext(context: WriterContext): Promise<readonly OutboxEvent[]> {
    const { work, resolve, reject } = this.#jobs.shift()!;
    try {
      const { value, events } = await work(context);
      resolve(value as never);
      return events;
    } catch (error) {
      reject(error);
      if (error instanceof ShareLostError) throw error;
      return [];
    }
  }
}
