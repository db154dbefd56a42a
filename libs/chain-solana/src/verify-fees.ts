// SPDX-License-Identifier: Apache-2.0
import type { ParsedTransaction } from './parse-transaction.ts';
import { PRECOMPILES, PRECOMPILES_BYTES } from './programs.ts';
import type { RawBlock } from './raw-block.ts';

/** What the transactions of a block paid, summed up. */
export class FeeSum implements PaidFees {
  count = 0;
  total = 0n;
  unexplained = 0n;
  #signatures = 0;

  add(tx: ParsedTransaction, isUnproved: boolean): void {
    this.count += 1;
    const fee = BigInt(tx.meta.fee);
    // Nothing was paid for the signatures of a transaction whose payer could not pay (SIMD-0290).
    if (fee === 0n) return;
    this.total += fee;
    const signatures = tx.signatureCount + (tx.isVote ? 0 : countPrecompiled(tx));
    this.#signatures += signatures;
    if (!isUnproved) return;
    const more = fee - BigInt(signatures) * LAMPORTS_PER_SIGNATURE - (tx.config?.priorityFee ?? 0n);
    if (more > 0n) this.unexplained += more;
  }

  get base(): bigint {
    return BigInt(this.#signatures) * LAMPORTS_PER_SIGNATURE;
  }
}

/** What the block says that its leader got; undefined where it shows no such reward. Whose account it is proves nothing. */
export function leaderRewardOf({ rewards }: Pick<RawBlock, 'rewards'>): bigint | undefined {
  const paid = (rewards ?? []).filter(({ rewardType }) => rewardType === 'Fee');
  return paid.length === 0 ? undefined : paid.reduce((sum, { lamports }) => sum + BigInt(lamports), 0n);
}

/**
 * What the leader's reward says of the list of transactions.
 *
 * - `proved`: it is what the fees of all of them come to, so none is missing.
 * - `untold`: the block shows no reward, which proves nothing. An empty block is one of these, and so is the answer of a
 *   node that lost its data.
 * - `other`: it is another amount. The rule may have changed, or a transaction is missing.
 */
export function verifyFees(
  raw: RawBlock,
  fees: FeeSum,
  at: { readonly chainGid: string; readonly slot: number },
): 'proved' | 'untold' | 'other' {
  const reward = leaderRewardOf(raw);
  if (reward === undefined) return 'untold';
  return isLeaderPay(reward, fees, at) ? 'proved' : 'other';
}

/**
 * Number of signatures that instructions carry for the programs which check them; the first byte of the data
 * is the count.
 */
export function countPrecompiled(tx: ParsedTransaction): number {
  const { wire } = tx;
  let count = 0;
  if (wire === undefined)
    for (const one of tx.instructions())
      count += PRECOMPILES.has(one.program) ? (one.readData()?.[0] ?? 0) : 0;
  else if (PRECOMPILES_BYTES.some((key) => wire.hasKey(key)))
    for (const { programIndex, data } of wire.instructions())
      count += PRECOMPILES_BYTES.some((key) => wire.isKeyAt(programIndex, key)) ? (data[0] ?? 0) : 0;
  return count;
}

/** The fees of a block's transactions, in lamports. */
interface PaidFees {
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
