// SPDX-License-Identifier: Apache-2.0
import { nativeOf, type BalanceChange, type Network, type UnknownPart } from '@chainwatch/chain-core';
import type { RawBlock, RawReward } from './raw-block.ts';

/**
 * Kinds of rewards, and whether their lamports are added to the account. `DeactivatedStake` (Agave 4.2) names stake that
 * becomes withdrawable: the account has it already.
 */
const KINDS: ReadonlyMap<string, { readonly isIncome: boolean; readonly reason: BalanceChange['reason'] }> =
  new Map([
    ['Fee', { isIncome: true, reason: 'reward' }],
    ['Rent', { isIncome: true, reason: 'reward' }],
    ['Staking', { isIncome: true, reason: 'staking_reward' }],
    ['Voting', { isIncome: true, reason: 'staking_reward' }],
    ['DeactivatedStake', { isIncome: false, reason: 'other' }],
  ]);

/** Whether the account has more lamports by it. Old blocks tell no kind; theirs were all income. */
export function isIncome({ rewardType }: Pick<RawReward, 'rewardType'>): boolean {
  return rewardType === undefined || rewardType === null || KINDS.get(rewardType)?.isIncome === true;
}

/**
 * Lamports that no transaction moves: the leader's fees, staking and voting rewards, collected rent. A reward that is no
 * income, or of a kind that is not known, has no amount: the balance is read again, which finds what it was.
 */
export function decodeRewards(network: Network, { rewards }: Pick<RawBlock, 'rewards'>): BalanceChange[] {
  return (rewards ?? []).map((reward) => ({
    address: reward.pubkey,
    assetGid: nativeOf(network).gid,
    ...(isIncome(reward)
      ? { amountRaw: BigInt(reward.lamports), reason: KINDS.get(reward.rewardType ?? '')?.reason ?? 'reward' }
      : { reason: 'other' }),
  }));
}

export function findUnknownRewards({ rewards }: Pick<RawBlock, 'rewards'>): UnknownPart[] {
  return (rewards ?? []).flatMap(({ rewardType }) =>
    rewardType === undefined || rewardType === null || KINDS.has(rewardType)
      ? []
      : [{ kind: `reward-type:${rewardType}`, expected: [...KINDS.keys()].join(', '), got: rewardType }],
  );
}
