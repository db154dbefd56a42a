import { BlockNotFoundError, IncompleteBlockError } from '@chainwatch/chain-core';
import type { BlockRef } from '@chainwatch/chain-core';
import { lamportChanges, movesFeeOnly, type Change } from './lamports.ts';
import { parseTransaction, type ParsedTransaction } from './parse-transaction.ts';
import { PRECOMPILES, PRECOMPILES_BYTES } from './programs.ts';
import type { RawBlock } from './raw-block.ts';
import { verifySignatures } from './verify-signatures.ts';

export interface VerifiedTransaction {
  /** Position in the block, votes included. */
  readonly index: number;
  readonly tx: ParsedTransaction;
  readonly changes: readonly Change[];
}

export interface VerifiedBlock {
  /** Without votes. */
  readonly transactions: readonly VerifiedTransaction[];
  /** The leader was paid what all fees of the block come to: no transaction is missing. */
  readonly isFeeProved: boolean;
}

const LAMPORTS_PER_SIGNATURE = 5_000n;

/**
 * Proves what a node returned for `ref` as far as the chain allows (architecture.md, invariant 6;
 * docs/adr/0007-solana-completeness.md): the hash, the balance of lamports of each transaction, its signature (a
 * sample), and that the leader's reward is what the fees of all of them come to.
 * @throws IncompleteBlockError saying what was expected and what came, BlockNotFoundError when another block stands there
 */
export function verifyBlock(ref: BlockRef, raw: RawBlock): VerifiedBlock {
  if (raw.blockhash !== ref.hash) {
    throw new BlockNotFoundError(`slot ${ref.number}: expected block ${ref.hash}, got ${raw.blockhash}`, { publicMessage: `block ${ref.number} ${ref.hash} is not known to the node` });
  }
  if (raw.parentSlot >= ref.number) fail(ref, 'parent slot', `below ${ref.number}`, String(raw.parentSlot));
  const all = raw.transactions.map((transaction, index) => parse(ref, index, () => parseTransaction(transaction)));
  const transactions: VerifiedTransaction[] = [];
  for (const [index, tx] of all.entries()) {
    if (tx.isVote && parse(ref, index, () => movesFeeOnly(tx))) continue;
    const changes = parse(ref, index, () => lamportChanges(tx));
    verifyConservation(ref, index, tx, changes);
    transactions.push({ index, tx, changes });
  }
  const signatures = new Set(transactions.map(({ tx }) => tx.signature));
  if (signatures.size !== transactions.length) fail(ref, 'signatures', `${transactions.length} different ones`, String(signatures.size));
  const forged = verifySignatures(transactions.map(({ tx }) => tx));
  if (forged !== undefined) fail(ref, 'signature', 'that of its message', `another, ${forged.signature}`);
  return { transactions, isFeeProved: verifyFees(ref, raw, all) };
}

function parse<T>(ref: BlockRef, index: number, work: () => T): T {
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

/** @returns false where the block tells of no reward: the fees are then no proof */
function verifyFees(ref: BlockRef, { rewards }: RawBlock, all: readonly ParsedTransaction[]): boolean {
  const fees = all.reduce((sum, { meta }) => sum + BigInt(meta.fee), 0n);
  const paid = (rewards ?? []).filter(({ rewardType }) => rewardType === 'Fee');
  if (paid.length === 0) return fees === 0n && all.length === 0;
  const reward = paid.reduce((sum, { lamports }) => sum + BigInt(lamports), 0n);
  // Since SIMD-0096 half of what signatures cost is burnt, before it half of everything.
  if (reward === fees - fees / 2n || reward === fees - baseFees(all) / 2n) return true;
  return fail(ref, 'reward of the leader', `what ${all.length} transactions paid ${fees} lamports for`, String(reward));
}

function baseFees(all: readonly ParsedTransaction[]): bigint {
  const signatures = all.reduce((sum, tx) => sum + tx.signatureCount + (tx.isVote ? 0 : countPrecompiled(tx)), 0);
  return BigInt(signatures) * LAMPORTS_PER_SIGNATURE;
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
