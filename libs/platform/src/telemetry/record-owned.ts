// SPDX-License-Identifier: Apache-2.0
import { gauge, type Gauge } from './instruments.ts';

/**
 * Keeps a gauge for the chains of this replica alone: one that it does not own (any more) is forgotten, so that no
 * alert reads what nobody updates.
 */
export function recordOwned(gauge: Gauge): (values: ReadonlyMap<string, number>) => void {
  const known = new Set<string>();
  return (values) => {
    for (const gid of known) {
      if (values.has(gid)) continue;
      gauge.forget({ chain_gid: gid });
      known.delete(gid);
    }
    for (const [gid, value] of values) {
      gauge.set(value, { chain_gid: gid });
      known.add(gid);
    }
  };
}

const stalls = gauge('chainwatch_chain_stalled_status', {
  description:
    '1 while the chain stands still in this service, or it is not known whether anybody works on it.',
});

/** Keeps the metric for the chains of this replica. */
export function createStallRecorder(): (stalled: ReadonlyMap<string, boolean>) => void {
  const record = recordOwned(stalls);
  return (stalled) => record(new Map([...stalled].map(([gid, isStalled]) => [gid, isStalled ? 1 : 0])));
}
