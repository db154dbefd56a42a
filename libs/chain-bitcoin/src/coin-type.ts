import type { Network } from '@chainwatch/chain-core';

/** SLIP-44: the coin type in the paths of a network's keys is the number of its coin. */
export function coinTypeOf({ native }: Network): number {
  return Number(native.gid.slice(native.gid.lastIndexOf(':') + 1));
}
