// SPDX-License-Identifier: Apache-2.0
/** The fees of a block's transactions, in lamports. */
export interface PaidFees {
  /** All that was paid. */
  readonly total: bigint;
  /** What the signatures cost, those that precompiles check included. */
  readonly base: bigint;
  /** Fees that may be the price of signatures which cannot be counted here. */
  readonly unexplained: bigint;
}

/** How the leader is paid, and since which slot. */
interface LeaderPay {
  /**
   * First slot of the rule by chain gid. A rule ends where the next one begins. On a network without a slot here any
   * rule may hold.
   */
  readonly since: Readonly<Record<string, number>>;
  isPaidAs(reward: bigint, fees: PaidFees): boolean;
}

export const LAMPORTS_PER_SIGNATURE = 5_000n;
const MAINNET = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

/** In the order of their beginnings. */
const RULES: readonly LeaderPay[] = [
  { since: { [MAINNET]: 0 }, isPaidAs: (reward, { total }) => reward === total - total / 2n },
  {
    // SIMD-0096, feature 3opE3EzAKnUftUDURkzMgwpNgimBAypW1mNDYH4x4Zg7, epoch 741 of the main network
    // (https://simd.watch/simd/0096): half of the base fees is burnt, the rest goes to the leader.
    since: { [MAINNET]: 320_112_000 },
    isPaidAs: (reward, { total, base, unexplained }) => {
      const more = 2n * (total - reward) - base;
      return more === 0n || (more > 0n && more <= unexplained && more % LAMPORTS_PER_SIGNATURE === 0n);
    },
  },
];

/** Whether `reward` is what a leader gets of `fees` by a rule that may hold in that slot. */
export function isLeaderPay(
  reward: bigint,
  fees: PaidFees,
  at: { readonly chainGid: string; readonly slot: number },
): boolean {
  return RULES.some((rule, place) => mayHold(rule, RULES[place + 1], at) && rule.isPaidAs(reward, fees));
}

function mayHold(
  { since }: LeaderPay,
  next: LeaderPay | undefined,
  { chainGid, slot }: { readonly chainGid: string; readonly slot: number },
): boolean {
  const begin = since[chainGid] ?? 0;
  const end = next?.since[chainGid] ?? Number.POSITIVE_INFINITY;
  return slot >= begin && slot < end;
}
