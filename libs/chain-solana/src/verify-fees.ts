// SPDX-License-Identifier: Apache-2.0
import { isLeaderPay, LAMPORTS_PER_SIGNATURE, type PaidFees } from './leader-pay.ts';
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
