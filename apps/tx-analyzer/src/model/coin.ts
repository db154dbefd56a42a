// SPDX-License-Identifier: Apache-2.0
import type { Outpoint } from '@chainwatch/chain-core';

/** One text for an outpoint, for maps and sets: `<txid>:<vout>`. */
export function outpointKey({ txid, vout }: Outpoint): string {
  return `${txid}:${vout}`;
}

/** A known output that belongs, or once belonged, to a watched address. It never changes: its txid commits to it. */
export interface KnownCoin {
  readonly address: string;
  /** Base units. */
  readonly amountRaw: bigint;
  /** Its transaction lacks evidence: the coin does not count, and neither does what spends it. */
  readonly isUnproved?: boolean;
}

/** An output that has an address. */
export interface AddressedOutput extends Outpoint, KnownCoin {}
