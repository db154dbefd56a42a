import type { UnknownPart } from '@chainwatch/chain-core';
import type { ParsedTransaction } from './parse-transaction.ts';
import { PRECOMPILES, PRECOMPILES_BYTES } from './programs.ts';
import type { RawBlock } from './raw-block.ts';

const LAMPORTS_PER_SIGNATURE = 5_000n;
const KNOWN_REWARDS: ReadonlySet<string> = new Set(['Fee', 'Rent', 'Staking', 'Voting']);

/** What the transactions of a block paid, summed up. */
export class FeeSum {
  count = 0;
  total = 0n;
  #signatures = 0;
  /** Fees beyond their own signatures of transactions whose instructions cannot be read. */
  #unexplained = 0n;

  add(tx: ParsedTransaction, isUnproved: boolean): void {
    const fee = BigInt(tx.meta.fee);
    this.count += 1;
    this.total += fee;
    this.#signatures += tx.signatureCount + (tx.isVote ? 0 : countPrecompiled(tx));
    if (isUnproved) this.#unexplained += fee - BigInt(tx.signatureCount) * LAMPORTS_PER_SIGNATURE;
  }

  /** Whether a reward is what remains of the fees after burning. */
  isPaidAs(reward: bigint): boolean {
    // Since SIMD-0096 half of what signatures cost is burnt, before it half of everything.
    if (reward === this.total - this.total / 2n) return true;
    const more = 2n * (this.total - reward) - BigInt(this.#signatures) * LAMPORTS_PER_SIGNATURE;
    return more === 0n || (more > 0n && more <= this.#unexplained && more % LAMPORTS_PER_SIGNATURE === 0n);
  }

  rewardOf({ rewards }: RawBlock): bigint | undefined {
    const paid = (rewards ?? []).filter(({ rewardType }) => rewardType === 'Fee');
    return paid.length === 0 ? undefined : paid.reduce((sum, { lamports }) => sum + BigInt(lamports), 0n);
  }
}

/** `untold`: the block shows no reward, so the fees prove nothing. `other`: it shows another one. */
export function verifyFees(raw: RawBlock, fees: FeeSum): 'proved' | 'untold' | 'other' {
  const reward = fees.rewardOf(raw);
  if (reward === undefined) return fees.total === 0n && fees.count === 0 ? 'proved' : 'untold';
  return fees.isPaidAs(reward) ? 'proved' : 'other';
}

export function findUnknownRewards({ rewards }: RawBlock): UnknownPart[] {
  return (rewards ?? []).flatMap(({ rewardType }) =>
    rewardType === undefined || rewardType === null || KNOWN_REWARDS.has(rewardType)
      ? []
      : [{ kind: `reward-type:${rewardType}`, expected: [...KNOWN_REWARDS].join(', '), got: rewardType }],
  );
}

/**
 * Number of signatures that instructions carry for the programs which check them; the first byte of the data
 * is the count.
 */
function countPrecompiled(tx: ParsedTransaction): number {
  const { wire } = tx;
  let count = 0;
  if (wire === undefined)
    for (const one of tx.instructions()) count += PRECOMPILES.has(one.program) ? (one.readData()[0] ?? 0) : 0;
  else if (PRECOMPILES_BYTES.some((key) => wire.hasKey(key)))
    for (const { programIndex, data } of wire.instructions())
      count += PRECOMPILES_BYTES.some((key) => wire.isKeyAt(programIndex, key)) ? (data[0] ?? 0) : 0;
  return count;
}
