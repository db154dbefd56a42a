import { gauge } from './instruments.ts';

const stalls = gauge('chainwatch_chain_stalled_status', {
  description:
    '1 while the chain stands still in this service, or it is not known whether anybody works on it.',
});

/** Keeps the metric for the chains of this replica. A chain that it does not own (any more) counts as not stalled here. */
export function createStallRecorder(): (stalled: ReadonlyMap<string, boolean>) => void {
  const known = new Set<string>();
  return (stalled) => {
    for (const gid of stalled.keys()) known.add(gid);
    for (const gid of known) stalls.set(stalled.get(gid) === true ? 1 : 0, { chain_gid: gid });
  };
}
