import type { Outpoint } from '@chainwatch/chain-core';

/** One text for an outpoint, for maps and sets: `<txid>:<vout>`. */
export function outpointKey({ txid, vout }: Outpoint): string {
  return `${txid}:${vout}`;
}
