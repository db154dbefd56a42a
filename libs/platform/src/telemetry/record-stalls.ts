// SPDX-License-Identifier: Apache-2.0
import { gauge } from './instruments.ts';
import { recordOwned } from './record-owned.ts';

const stalls = gauge('chainwatch_chain_stalled_status', {
  description:
    '1 while the chain stands still in this service, or it is not known whether anybody works on it.',
});

/** Keeps the metric for the chains of this replica. */
export function createStallRecorder(): (stalled: ReadonlyMap<string, boolean>) => void {
  const record = recordOwned(stalls);
  return (stalled) => record(new Map([...stalled].map(([gid, isStalled]) => [gid, isStalled ? 1 : 0])));
}
