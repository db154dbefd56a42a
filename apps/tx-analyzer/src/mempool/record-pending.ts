// SPDX-License-Identifier: Apache-2.0
import { gauge } from '@chainwatch/platform/telemetry';

const pending = gauge('chainwatch_pending_transactions', {
  description: 'Unconfirmed transactions that somebody was told of.',
});

export function recordPending(chainGid: string, count: number): void {
  pending.set(count, { chain_gid: chainGid });
}

/** The chain's next owner tells it. */
export function forgetPending(chainGid: string): void {
  pending.forget({ chain_gid: chainGid });
}
