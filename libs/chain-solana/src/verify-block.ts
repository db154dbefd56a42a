import { BlockNotFoundError, IncompleteBlockError } from '@chainwatch/chain-core';
import type { BlockRef } from '@chainwatch/chain-core';
import { lamportChanges, movesFeeOnly, type Change } from './lamports.ts';
import { parseTransaction, type ParsedTransaction } from './parse-transaction.ts';
import { PRECOMPILES, PRECOMPILES_BYTES } from './programs.ts';
import type { RawBlock, RawTransaction } from './raw-block.ts';
import { verifySignatures, type Signed } from './verify-signatures.ts';

export interface VerifiedTransaction {
  /** Position in the block, votes included. */
  readonly index: number;
  readonly tx: ParsedTransaction;
  readonly changes: readonly Change[];
}

export interface VerifiedBlock<T> {
  /** What `take` made of each, without votes. */
  readonly transactions: readonly T[];
  /** Votes included. */
  readonly count: number;
  /** The leader was paid what all fees of the block come to: no transaction is missing. */
  readonly isFeeProved: boolean;
}

const LAMPORTS_PER_SIGNATURE = 5_000n;

/**
 * Proves what a node returned for `ref` as far as the chain allows (architecture.md, invariant 6;
 * docs/adr/0007-solana-completeness.md): the hash, the balance of lamports of each transaction, its signature (a
 * sample), and that the leader's reward is what the fees of all of them come to. The transactions are gone through once,
 * and nothing is kept of them but what `take` makes.
 * @throws IncompleteBlockError saying what was expected and what came, BlockNotFoundError when another block stands there
 */
export function verifyBlock<T>(ref: BlockRef, raw: RawBlock, take: (transaction: VerifiedTransaction) => T): VerifiedBlock<T> {
  expectRef(ref, raw);
  const fees = new FeeSum();
  const signed = new Map<string, Signed>();
  const transactions: T[] = [];
  for (const transaction of raw.transactions) {
    const index = fees.count;
    const verified = readAt(ref, index, () => verifyTransaction(ref, index, fees, transaction));
    if (verified === undefined) continue;
    transactions.push(take(verified));
    const { signature, wire } = verified.tx;
    signed.set(signature, { signature, ...(wire && { wire }) });
  }
  if (signed.size !== transactions.length) fail(ref, 'signatures', `${transactions.length} different ones`, String(signed.size));
  const forged = verifySignatures([...signed.values()]);
  if (forged !== undefined) fail(ref, 'signature', 'that of its message', `another, ${forged.signature}`);
  return { transactions, count: fees.count, isFeeProved: verifyFees(ref, raw, fees) };
}

function expectRef(ref: BlockRef, raw: RawBlock): void {
  if (raw.blockhash !== ref.hash) {
    throw new BlockNotFoundError(`slot ${ref.number}: expected block ${ref.hash}, got ${raw.blockhash}`, { publicMessage: `block ${ref.number} ${ref.hash} is not known to the node` });
  }
  if (raw.parentSlot >= ref.number) fail(ref, 'parent slot', `below ${ref.number}`, String(raw.parentSlot));
}

/** Undefined for a vote that moves nothing but its fee. */
function verifyTransaction(ref: BlockRef, index: number, fees: FeeSum, transaction: RawTransaction): VerifiedTransaction | undefined {
  const tx = parseTransaction(transaction);
  fees.add(tx);
  if (tx.isVote && movesFeeOnly(tx)) return undefined;
  const changes = lamportChanges(tx);
  verifyConservation(ref, index, tx, changes);
  return { index, tx, changes };
}

function readAt<T>(ref: BlockRef, index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError) {
      throw new IncompleteBlockError(`transaction ${index} of block ${ref.number} ${ref.hash} could not be read: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

/** Lamports are neither made nor lost, but for rent that was taken (until 2022). */
function verifyConservation(ref: BlockRef, index: number, { meta }: ParsedTransaction, changes: readonly Change[]): void {
  const made = changes.reduce((sum, { delta }) => sum + delta, 0n);
  if (made === 0n) return;
  const rent = (meta.rewards ?? []).reduce((sum, { rewardType, lamports }) => (rewardType === 'Rent' ? sum + BigInt(lamports) : sum), 0n);
  if (made !== rent) fail(ref, `lamports that transaction ${index} made`, String(rent), String(made));
}

/** What the transactions of a block paid, summed up. */
class FeeSum {
  count = 0;
  total = 0n;
  #signatures = 0;

  add(tx: ParsedTransaction): void {
    this.count += 1;
    this.total += BigInt(tx.meta.fee);
    this.#signatures += tx.signatureCount + (tx.isVote ? 0 : countPrecompiled(tx));
  }

  get base(): bigint {
    return BigInt(this.#signatures) * LAMPORTS_PER_SIGNATURE;
  }
}

/** @returns false where the block tells of no reward: the fees are then no proof */
function verifyFees(ref: BlockRef, { rewards }: RawBlock, { count, total, base }: FeeSum): boolean {
  const paid = (rewards ?? []).filter(({ rewardType }) => rewardType === 'Fee');
  if (paid.length === 0) return total === 0n && count === 0;
  const reward = paid.reduce((sum, { lamports }) => sum + BigInt(lamports), 0n);
  // Since SIMD-0096 half of what signatures cost is burnt, before it half of everything.
  if (reward === total - total / 2n || reward === total - base / 2n) return true;
  return fail(ref, 'reward of the leader', `what ${count} transactions paid ${total} lamports for`, String(reward));
}

/** Signatures that instructions carry for a program which checks them: the first byte is their count. */
function countPrecompiled(tx: ParsedTransaction): number {
  const { wire } = tx;
  let count = 0;
  if (wire === undefined) for (const one of tx.instructions()) count += PRECOMPILES.has(one.program) ? (one.readData()[0] ?? 0) : 0;
  else if (PRECOMPILES_BYTES.some((key) => wire.hasKey(key))) for (const { programIndex, data } of wire.instructions()) count += PRECOMPILES_BYTES.some((key) => wire.isKeyAt(programIndex, key)) ? (data[0] ?? 0) : 0;
  return count;
}

function fail(ref: BlockRef, what: string, expected: string, got: string): never {
  throw new IncompleteBlockError(`${what} of block ${ref.number} ${ref.hash}: expected ${expected}, got ${got}`);
}
