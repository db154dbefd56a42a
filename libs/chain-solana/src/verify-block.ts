import { BlockNotFoundError, IncompleteBlockError } from '@chainwatch/chain-core';
import type { BlockRef, UnknownPart } from '@chainwatch/chain-core';
import { lamportChanges, movesFeeOnly, type Change } from './lamports.ts';
import { parseTransaction, UnknownVersionError, type ParsedTransaction } from './parse-transaction.ts';
import type { RawBlock, RawTransaction } from './raw-block.ts';
import { FeeSum, findUnknownRewards, verifyFees } from './verify-fees.ts';
import { verifySignatures, type Signed } from './verify-signatures.ts';

export interface VerifiedTransaction {
  /** Position in the block, votes included. */
  readonly index: number;
  readonly tx: ParsedTransaction;
  readonly changes: readonly Change[];
  /** True for an unknown version: only the node's word stands for its keys and balances. */
  readonly isUnproved?: boolean;
}

export interface VerifiedBlock<T> {
  /** The results of `take` for each, without votes. */
  readonly transactions: readonly T[];
  /** Votes included. */
  readonly count: number;
  /** True when the leader's reward matches the sum of the fees, which proves that no transaction is missing. */
  readonly isFeeProved: boolean;
  readonly unknowns: readonly UnknownPart[];
  /** True when something unknown keeps the fees from being checked: that no transaction is missing is the node's word. */
  readonly isUnproved: boolean;
}

/**
 * Proves what a node returned for `ref` as far as the chain allows (architecture.md, invariant 6;
 * docs/adr/0007-solana-completeness.md): the hash, that each transaction conserves lamports, its signature (a
 * sample), and that the leader's reward matches the sum of the fees. The transactions are read once, and only
 * the results of `take` are kept. Those whose bytes cannot be read are taken from `accounts`, the same block
 * with `transactionDetails: "accounts"`.
 * @throws IncompleteBlockError saying what was expected and what came, BlockNotFoundError when another block stands there,
 *   UnknownVersionError where `accounts` are needed and were not given
 */
export function verifyBlock<T>(
  ref: BlockRef,
  {
    raw,
    take,
    accounts,
  }: {
    readonly raw: RawBlock;
    readonly take: (transaction: VerifiedTransaction) => T;
    readonly accounts?: RawBlock;
  },
): VerifiedBlock<T> {
  expectRef(ref, raw);
  const inAccounts = accounts && listAccounts(ref, accounts);
  const unknowns: UnknownPart[] = [];
  const fees = new FeeSum();
  const found = { fees, inAccounts, unknowns };
  const signed = new Map<string, Signed>();
  const transactions: T[] = [];
  for (const transaction of raw.transactions) {
    const index = fees.count;
    const verified = readAt(ref, index, () => verifyTransaction({ ref, index }, transaction, found));
    if (verified === undefined) continue;
    transactions.push(take(verified));
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
  const proof = verifyFees(raw, fees);
  if (proof !== 'other')
    return { transactions, count: fees.count, isFeeProved: proof === 'proved', unknowns, isUnproved: false };
  // Rewards and transactions of an unknown kind may follow other fee rules.
  unknowns.push(...findUnknownRewards(raw));
  if (unknowns.length === 0)
    fail(ref, {
      what: 'reward of the leader',
      expected: `what ${fees.count} transactions paid ${fees.total} lamports for`,
      got: String(fees.rewardOf(raw)),
    });
  return { transactions, count: fees.count, isFeeProved: false, unknowns, isUnproved: true };
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

/** Undefined for a vote that moves nothing but its fee. */
function verifyTransaction(
  { ref, index }: { readonly ref: BlockRef; readonly index: number },
  transaction: RawTransaction,
  found: Found,
): VerifiedTransaction | undefined {
  const { tx, isUnproved } = parseKnown(index, transaction, found);
  found.fees.add(tx, isUnproved);
  if (tx.isVote && movesFeeOnly(tx)) return undefined;
  const changes = lamportChanges(tx);
  verifyConservation(ref, { index, transaction: tx, changes });
  return { index, tx, changes, isUnproved };
}

interface Found {
  readonly fees: FeeSum;
  readonly inAccounts: readonly RawTransaction[] | undefined;
  readonly unknowns: UnknownPart[];
}

/** Parses a transaction from its bytes, or from its accounts where its version is not known. */
function parseKnown(
  index: number,
  transaction: RawTransaction,
  { inAccounts, unknowns }: Found,
): { readonly tx: ParsedTransaction; readonly isUnproved: boolean } {
  try {
    return { tx: parseTransaction(transaction), isUnproved: false };
  } catch (error) {
    if (!(error instanceof UnknownVersionError) || inAccounts === undefined) throw error;
    const byAccounts = inAccounts[index];
    if (byAccounts === undefined) throw new RangeError('expected its accounts, got none', { cause: error });
    const tx = parseTransaction(byAccounts);
    unknowns.push({
      kind: `transaction-version:${error.version}`,
      transactionHash: tx.signature,
      expected: 'version 0 or legacy',
      got: `version ${error.version}`,
    });
    return { tx, isUnproved: true };
  }
}

function readAt<T>(ref: BlockRef, index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError) {
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
