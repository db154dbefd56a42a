// SPDX-License-Identifier: Apache-2.0
import { nativeOf, type Network } from '@chainwatch/chain-core';

/** SLIP-44: the coin type in the paths of a network's keys is the number of its coin. */
export function coinTypeOf(network: Network): number {
  const { gid } = nativeOf(network);
  return Number(gid.slice(gid.lastIndexOf(':') + 1));
}
