// SPDX-License-Identifier: Apache-2.0
import type { BalanceChange, Network } from '@chainwatch/chain-core';
import { addressOf } from './decode-logs.ts';
import { readTraits } from './networks.ts';
import type { RawReceipt } from './raw-block.ts';
import type { BlockReward } from './read-traces.ts';

/** `AddedReceiver(uint256,address,address)`: amount, receiver, bridge. */
const ADDED_RECEIVER_TOPIC = '0x3c798bbcf33115b42c728b8504cff11dd58736e9fa789f1cda2738db7d696b2a';

export function decodeRewards(network: Network, rewards: readonly BlockReward[]): BalanceChange[] {
  const assetGid = network.native?.gid;
  return assetGid === undefined
    ? []
    : rewards.map(({ address, amountRaw }) => ({ address, assetGid, amountRaw, reason: 'reward' }));
}

/**
 * Who gets native coins by an order to the contract of block rewards (Gnosis: the xDAI bridge's mints;
 * https://github.com/gnosischain/specs/blob/master/execution/posdao-post-merge.md). The chain pays at the end of the block;
 * where there are many orders, some in the next ones. For endpoints that do not tell rewards.
 */
export function decodeAddedReceivers(network: Network, receipts: readonly RawReceipt[]): BalanceChange[] {
  const { rewardContract } = readTraits(network);
  if (rewardContract === undefined) return [];
  const orders = receipts
    .flatMap(({ logs }) => logs)
    .filter(
      ({ address, topics, data }) =>
        address === rewardContract && topics[0] === ADDED_RECEIVER_TOPIC && data.length === 66,
    );
  return decodeRewards(
    network,
    orders.map(({ topics, data }) => ({ address: addressOf(topics[1]), amountRaw: BigInt(data) })),
  );
}
