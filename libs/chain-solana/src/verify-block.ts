// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  IncompleteBlockError,
  type BlockRef,
  type UnknownPart,
} from '@chainwatch/chain-core';
import { BaseError } from '@chainwatch/common/problem';
import { toBase58 } from './base58-text.ts';
import { lamportChanges, movesFeeOnly, type Change } from './lamports.ts';
import { parseAccounts, parseTransaction, type ParsedTransaction } from './parse-transaction.ts';
import type { RawBlock, RawTransaction } from './raw-block.ts';
import { findUnknownRewards } from './rewards.ts';
import {
  FeeSum,
  leaderRewardOf,
  verifyFees,
  countPrecompiled,
  LAMPORTS_PER_SIGNATURE,
} from './verify-fees.ts';
import { UnknownTransactionError } from './wire/unknown-transaction-error.ts';
import { createPublicKey, randomInt, verify } from 'node:crypto';

export interface VerifiedTransaction {
  /** Position in the block, votes included. */
  readonly index: number;
  readonly tx: ParsedTransaction;
  readonly changes: readonly Change[];
  /** True for a transaction of an unknown kind: only the node's word stands for its keys, balances or fee. */
  readonly isUnproved?: boolean;
}

export interface VerifiedBlock<T> {
  /** The results of `take` for each, without votes. */
  readonly transactions: readonly T[];
  /** What the leader's reward says of the list of transactions (`verifyFees`). */
  readonly fees: 'proved' | 'untold' | 'other';
  readonly unknowns: readonly UnknownPart[];
  /** Why the reward may be `other`, where it is: for the incident. */
  readonly reward?: UnknownPart;
  /** Signatures of all transactions in their order, votes included. Spelt when they are asked for. */
  listSignatures(): readonly string[];
}

/**
 * Proves what a node returned for `ref` as far as the chain allows (architecture.md, invariant 6;
 * docs/adr/0007-solana-completeness.md): the hash, that each transaction conserves lamports, its signature (a
 * sample). Whether the leader's reward matches the sum of the fees is told in `fees`: no rule about fees stops a chain. The transactions are read once, and only
 * the results of `take` are kept. Those whose bytes cannot be read are taken from `accounts`, the same block
 * with `transactionDetails: "accounts"`.
 * @throws IncompleteBlockError saying what was expected and what came, BlockNotFoundError when another block stands there,
 *   UnknownTransactionError where `accounts` are needed and were not given
 */
export function verifyBlock<T>(
  ref: BlockRef,
  {
    chainGid,
    raw,
    take,
    accounts,
  }: {
    readonly chainGid: string;
    readonly raw: RawBlock;
    readonly take: (transaction: VerifiedTransaction) => T;
    readonly accounts?: RawBlock | undefined;
  },
): VerifiedBlock<T> {
  expectRef(ref, raw);
  const inAccounts = accounts && listAccounts(ref, accounts);
  const unknowns: UnknownPart[] = findUnknownRewards(raw);
  const fees = new FeeSum();
  const signatures: (string | Uint8Array)[] = [];
  const found = { fees, inAccounts, unknowns, signatures };
  const signed = new Map<string, Signed>();
  const transactions: T[] = [];
  for (const transaction of raw.transactions) {
    const index = fees.count;
    const verified = readAt(ref, index, () => verifyTransaction({ ref, index }, transaction, found));
    if (verified === undefined) continue;
    transactions.push(readAt(ref, index, () => take(verified)));
    const { signature, wire } = verified.tx;
    signed.set(signature, { signature, wire });
  }
  if (signed.size !== transactions.length)
    fail(ref, {
      what: 'signatures',
      expected: `${transactions.length} different ones`,
      got: String(signed.size),
    });
  const forged = verifySignatures([...signed.values()]);
  if (forged !== undefined)
    fail(ref, { what: 'signature', expected: 'that of its message', got: `another, ${forged.signature}` });
  if (inAccounts !== undefined && inAccounts.length !== fees.count)
    fail(ref, {
      what: 'transactions by their accounts',
      expected: String(fees.count),
      got: String(inAccounts.length),
    });
  const fit = verifyFees(raw, fees, { chainGid, slot: ref.number });
  // Precompiles that check signatures are not seen there: what they cost could stand for a transaction that is missing.
  const proof = fit === 'proved' && unknowns.includes(hidden) ? 'untold' : fit;
  return {
    transactions,
    fees: proof,
    unknowns,
    ...(proof === 'other' && { reward: describeReward(raw, fees) }),
    listSignatures: () =>
      signatures.map((one) => (typeof one === 'string' ? one : toBase58(one, 0, one.length))),
  };
}

function describeReward(raw: RawBlock, fees: FeeSum): UnknownPart {
  return {
    kind: 'leader-reward:fee',
    expected: `a rule that gives the leader's part of ${fees.total} lamports that ${fees.count} transactions paid, ${fees.base} of them for signatures`,
    got: `${leaderRewardOf(raw)} lamports`,
  };
}

function listAccounts(ref: BlockRef, accounts: RawBlock): readonly RawTransaction[] {
  expectRef(ref, accounts);
  return [...accounts.transactions];
}

function expectRef(ref: BlockRef, raw: RawBlock): void {
  if (raw.blockhash !== ref.hash) {
    throw new BlockNotFoundError(`slot ${ref.number}: expected block ${ref.hash}, got ${raw.blockhash}`, {
      publicMessage: `block ${ref.number} ${ref.hash} is not known to the node`,
    });
  }
  if (raw.parentSlot >= ref.number)
    fail(ref, { what: 'parent slot', expected: `below ${ref.number}`, got: String(raw.parentSlot) });
}

/**
 * Undefined for what concerns nobody: a vote that moves nothing but its fee, and a transaction whose payer could not pay
 * (SIMD-0290). That one fails without a fee and without an effect, and a later block may hold it again and execute it, so
 * its failure is no outcome.
 */
function verifyTransaction(
  { ref, index }: { readonly ref: BlockRef; readonly index: number },
  transaction: RawTransaction,
  found: Found,
): VerifiedTransaction | undefined {
  const { tx, isUnproved } = parseKnown(index, transaction, found);
  found.fees.add(tx, isUnproved);
  // A copy, because the bytes of the transaction are not kept.
  found.signatures.push(tx.wire === undefined ? tx.signature : Uint8Array.from(tx.wire.firstSignature));
  if (tx.isVote && movesFeeOnly(tx)) return undefined;
  const changes = lamportChanges(tx);
  verifyConservation(ref, { index, transaction: tx, changes });
  if (tx.meta.err !== null && tx.meta.fee === 0 && changes.length === 0) return undefined;
  return { index, tx, changes, isUnproved };
}

interface Found {
  readonly fees: FeeSum;
  readonly inAccounts: readonly RawTransaction[] | undefined;
  readonly unknowns: UnknownPart[];
  readonly signatures: (string | Uint8Array)[];
}

/** A node gives the block by its accounts alone. */
export const HIDDEN_INSTRUCTIONS = 'block-form:instructions';

const hidden: UnknownPart = {
  kind: HIDDEN_INSTRUCTIONS,
  expected: 'transactions with their instructions',
  got: 'their accounts alone',
};

/** Parses a transaction from its bytes, or from its accounts where its kind is not known. */
function parseKnown(
  index: number,
  transaction: RawTransaction,
  { inAccounts, unknowns }: Found,
): { readonly tx: ParsedTransaction; readonly isUnproved: boolean } {
  try {
    const tx = parseTransaction(transaction);
    const fault = tx.hidesInstructions === true ? hidden : findFeeFault(tx);
    if (fault !== undefined) unknowns.push(fault);
    return { tx, isUnproved: fault !== undefined };
  } catch (error) {
    if (!(error instanceof UnknownTransactionError) || inAccounts === undefined) throw error;
    const byAccounts = inAccounts[index];
    if (byAccounts === undefined) throw new RangeError('expected its accounts, got none', { cause: error });
    const tx = parseAccounts(byAccounts);
    const { kind, expected, got } = error;
    unknowns.push({ kind, transactionHash: tx.signature, expected, got });
    return { tx, isUnproved: true };
  }
}

function readAt<T>(ref: BlockRef, index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && !(error instanceof BaseError)) {
      throw new IncompleteBlockError(
        `transaction ${index} of block ${ref.number} ${ref.hash} could not be read: ${error.message}`,
        { cause: error },
      );
    }
    throw error;
  }
}

/** Lamports are neither created nor lost, except for collected rent (until 2022). */
function verifyConservation(
  ref: BlockRef,
  {
    index,
    transaction: { meta },
    changes,
  }: { readonly index: number; readonly transaction: ParsedTransaction; readonly changes: readonly Change[] },
): void {
  const made = changes.reduce((sum, { delta }) => sum + delta, 0n);
  if (made === 0n) return;
  const rent = (meta.rewards ?? []).reduce(
    (sum, { rewardType, lamports }) => (rewardType === 'Rent' ? sum + BigInt(lamports) : sum),
    0n,
  );
  if (made !== rent)
    fail(ref, { what: `lamports that transaction ${index} made`, expected: String(rent), got: String(made) });
}

function fail(
  ref: BlockRef,
  { what, expected, got }: { readonly what: string; readonly expected: string; readonly got: string },
): never {
  throw new IncompleteBlockError(
    `${what} of block ${ref.number} ${ref.hash}: expected ${expected}, got ${got}`,
  );
}

/**
 * Version 1 states its whole fee: 5,000 lamports for each signature, those that precompiles check included, and the
 * priority fee of its configuration (SIMD-0385). Another fee means that rules changed, which must not stop the chain.
 * A fee of 0 is that of a payer who could not pay (SIMD-0290). Undefined: the fee is right, or states nothing.
 */
export function findFeeFault(tx: ParsedTransaction): UnknownPart | undefined {
  const { config, meta } = tx;
  if (config === undefined) return undefined;
  const fee = BigInt(meta.fee);
  if (fee === 0n) return undefined;
  const signatures = BigInt(tx.signatureCount + countPrecompiled(tx));
  const expected = signatures * LAMPORTS_PER_SIGNATURE + (config.priorityFee ?? 0n);
  if (fee === expected) return undefined;
  return {
    kind: 'transaction-fee:version-1',
    transactionHash: tx.signature,
    expected: `${expected} lamports`,
    got: `${fee} lamports`,
  };
}

/** The parts of a transaction that its signature is checked with. */
type Signed = Pick<ParsedTransaction, 'signature' | 'wire'>;

/**
 * Checking a signature takes some tenths of a millisecond, too long for all of a block with thousands. Larger
 * blocks are sampled at random, which finds a node that invents transactions within a few blocks.
 */
const ALL_MAX = 8;
const DRAWN = 2;

/** The first transaction found whose payer did not sign it. Encodings without the bytes cannot be checked. */
export function verifySignatures(all: readonly Signed[]): Signed | undefined {
  const transactions = all.filter(({ wire }) => wire !== undefined);
  if (transactions.length <= ALL_MAX) return transactions.find((tx) => !isSigned(tx));
  for (let left = DRAWN; left > 0; left -= 1) {
    const tx = transactions[randomInt(transactions.length)]!;
    if (!isSigned(tx)) return tx;
  }
  return undefined;
}

function isSigned({ wire }: Signed): boolean {
  if (wire === undefined) return true;
  const x = Buffer.from(wire.keyBytesAt(0)).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, wire.message, key, wire.firstSignature);
}
