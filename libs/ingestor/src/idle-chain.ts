// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { ChainNotConfiguredError } from '@chainwatch/chain-core';
import { ShareLostError } from '@chainwatch/ownership';
import type { ChainReport } from './chain-report.ts';
import type { FeedStore } from './feed-store.ts';

interface Idle {
  readonly store: Pick<FeedStore, 'setStatus'>;
  readonly report: ChainReport;
  /** Why the chain cannot be followed, told as its status. */
  readonly fault: ChainNotConfiguredError;
  readonly signal: AbortSignal;
}

/** Holds a chain that cannot be followed as things stand, until something changes. */
export async function idleChain({ store, report, fault, signal }: Idle): Promise<'stopped' | 'fenced'> {
  Object.assign(report, { status: 'stalled', reason: fault.message });
  for (let isTold = false; !signal.aborted; ) {
    try {
      if (!isTold) await store.setStatus('stalled', fault.publicMessage);
      isTold = true;
    } catch (error) {
      if (error instanceof ShareLostError) return 'fenced';
    }
    await delay(1_000, undefined, { signal }).catch(() => undefined);
  }
  return 'stopped';
}
