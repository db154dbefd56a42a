// SPDX-License-Identifier: Apache-2.0
import {
  ChainClientError,
  IncompleteBlockError,
  rankOf,
  settleUnknowns,
  type Block,
  type BlockRef,
  type DecodedVerification,
  type ReadBlockOptions,
  type Transaction,
  type UnknownPart,
  type Network,
} from '@chainwatch/chain-core';
import { decodeBlock, decodeTransaction } from './decode-block.ts';
import { RoundedAmountError } from './lamports.ts';
import { proveWhole } from './list-transactions.ts';
import type { RawBlock } from './raw-block.ts';
import { requestBlock, toRawBlock } from './request-block.ts';
import type { LargeAnswer } from './rpc-client.ts';
import type { Session } from './session.ts';
import { lacksTokenBalances } from './token-changes.ts';
import {
  HIDDEN_INSTRUCTIONS,
  verifyBlock,
  type VerifiedBlock,
  type VerifiedTransaction,
} from './verify-block.ts';
import { UnknownTransactionError } from './wire/unknown-transaction-error.ts';
import { BaseError } from '@chainwatch/common/problem';
import { hideInstructions } from './parse-transaction.ts';

/**
 * A whole block by hash, proved and decoded.
 * @throws BlockNotFoundError, IncompleteBlockError, ChainClientError, UnknownContentError
 */
export async function readBlock(
  session: Session,
  {
    ref,
    signal,
    options,
  }: { readonly ref: BlockRef; readonly signal?: AbortSignal; readonly options?: ReadBlockOptions },
): Promise<Block> {
  const asked = { ...options, signal };
  const answer = await requestFull(session, { ref, options: asked });
  if (answer instanceof ChainClientError)
    return readByAccounts(session, { ref, failure: answer, options: asked });
  try {
    return await readVerified(session, { ref, raw: toRawBlock(ref, answer.result), options: asked });
  } catch (error) {
    // Parse the whole text again where an amount was rounded or the text was cut wrongly.
    if (error instanceof RoundedAmountError || error instanceof SyntaxError)
      return readWhole(session, { ref, answer, options: asked });
    throw toIncomplete(ref, error);
  }
}

/** Too many requests, as HTTP and JSON-RPC have it. */
const BUSY: ReadonlySet<number | undefined> = new Set([429, -32005]);

type ReadOptions = ReadBlockOptions & { readonly signal?: AbortSignal | undefined };

/** The block with its instructions, or why no endpoint could give it so for a while. */
async function requestFull(
  session: Session,
  { ref, options }: { readonly ref: BlockRef; readonly options: ReadOptions },
): Promise<LargeAnswer | ChainClientError> {
  const { signal, takeUntraced } = options;
  try {
    return await requestBlock(session, { ref, transactionDetails: 'full', signal });
  } catch (error) {
    if (takeUntraced !== true || signal?.aborted === true || !isUndelivered(error)) throw error;
    return error;
  }
}

/**
 * Anybody can send a transaction whose instructions a node writes too slowly, or larger than every limit. A node that has no
 * time for anybody is none of these.
 */
function isUndelivered(error: unknown): error is ChainClientError {
  return error instanceof ChainClientError && !BUSY.has(error.nodeCode);
}

/**
 * The block without its instructions: balances tell its amounts, and lamports must add up. That the node gives it in this form
 * shows that it has the block.
 * @throws `failure` where it does not, BlockNotFoundError
 */
async function readByAccounts(
  session: Session,
  {
    ref,
    failure,
    options,
  }: { readonly ref: BlockRef; readonly failure: ChainClientError; readonly options: ReadOptions },
): Promise<Block> {
  const raw = await requestAccounts(session, { ref, signal: options.signal }).catch((error: unknown) => {
    throw error instanceof ChainClientError ? failure : error;
  });
  try {
    return await readVerified(session, { ref, raw, accounts: raw, failure, options });
  } catch (error) {
    throw toIncomplete(ref, error);
  }
}

async function requestAccounts(
  session: Session,
  { ref, signal }: { readonly ref: BlockRef; readonly signal?: AbortSignal | undefined },
): Promise<RawBlock> {
  const answer = await requestBlock(session, { ref, transactionDetails: 'accounts', signal });
  return toRawBlock(ref, answer.readExact());
}

async function readWhole(
  session: Session,
  {
    ref,
    answer,
    options,
  }: { readonly ref: BlockRef; readonly answer: LargeAnswer; readonly options: ReadOptions },
): Promise<Block> {
  try {
    return await readVerified(session, { ref, raw: toRawBlock(ref, answer.readExact()), options });
  } catch (error) {
    throw toIncomplete(ref, error);
  }
}

/** BigInt and field access on values of a wrong type: the answer was not what it claimed to be. */
function toIncomplete(ref: BlockRef, error: unknown): unknown {
  if (!(error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError))
    return error;
  return new IncompleteBlockError(`block ${ref.number} ${ref.hash} could not be read: ${error.message}`, {
    cause: error,
  });
}

interface Read extends Told {
  readonly options: ReadOptions;
  /** Why only the accounts are known. */
  readonly failure?: ChainClientError;
}

async function readVerified(
  session: Session,
  { ref, raw, accounts, failure, options }: Read,
): Promise<Block> {
  const { transactions, unknowns, stripped, unreadable, ...verified } = await verify(session, {
    ...{ ref, raw, accounts, signal: options.signal },
  });
  const whole = await proveWhole(session, { ref, verified, options });
  const isStripped = new Set(stripped);
  const block = decodeBlock(session.network, {
    ref,
    raw,
    transactions: transactions.map((one) =>
      withLess(one, isStripped.has(one) ? 'unproved' : whole.transactions),
    ),
    // Of a block without its instructions more is to be told: it is read again.
    verification: unknowns.some(({ kind }) => kind === HIDDEN_INSTRUCTIONS) ? 'unproved' : whole.block,
  });
  session.slots.note(block);
  return settleUnknowns(
    block,
    [
      ...unknowns.map((part) => withReason(part, failure)),
      ...unreadable,
      ...stripped.map(describeStripped),
      ...whole.unknowns,
    ],
    options,
  );
}

function withReason(part: UnknownPart, failure: ChainClientError | undefined): UnknownPart {
  return failure === undefined || part.kind !== HIDDEN_INSTRUCTIONS
    ? part
    : { ...part, got: `${part.got}: ${failure.publicMessage}` };
}

/** 2023-01-01. Blocks of before the end of 2021 have no token balances, or none with owners. */
const HAS_TOKEN_BALANCES_S = 1_672_531_200;
/** Of the same time on the main network; only early blocks have no time. */
const HAS_TOKEN_BALANCES_SLOT = 170_000_000;

function hasTokenBalances({ blockTime, parentSlot }: RawBlock): boolean {
  return typeof blockTime === 'number'
    ? blockTime >= HAS_TOKEN_BALANCES_S
    : parentSlot >= HAS_TOKEN_BALANCES_SLOT;
}

function describeStripped({ hash }: Transaction): UnknownPart {
  return {
    kind: 'token-balances:missing',
    transactionHash: hash,
    expected: 'token balances with owners before and after a transaction that calls a token program',
    got: 'none, or without owners',
  };
}

/** A transaction has no more behind it than the list that it stands in. */
function withLess(transaction: Transaction, verification: DecodedVerification | undefined): Transaction {
  return verification === undefined || rankOf(transaction.verification ?? 'proved') >= rankOf(verification)
    ? transaction
    : { ...transaction, verification };
}

interface Verified extends VerifiedBlock<Transaction> {
  /** Transactions whose token balances the node left out, although nodes have them by now. */
  readonly stripped: readonly Transaction[];
  /** Of transactions whose instructions cannot be read. */
  readonly unreadable: readonly UnknownPart[];
}

interface Told {
  readonly ref: BlockRef;
  readonly raw: RawBlock;
  /** The same block by its accounts, where they are known already. */
  readonly accounts?: RawBlock | undefined;
}

/** Verifies the block. Where it has transactions whose bytes cannot be read, their accounts are asked for. */
async function verify(
  session: Session,
  { ref, raw, accounts: known, signal }: Told & { readonly signal?: AbortSignal | undefined },
): Promise<Verified> {
  const chainGid = session.network.gid;
  const mayLack = hasTokenBalances(raw);
  const stripped: Transaction[] = [];
  const unreadable: UnknownPart[] = [];
  const take = (verified: VerifiedTransaction): Transaction => {
    const { transaction, unknown } = decodeTold(session.network, verified);
    if (unknown !== undefined) unreadable.push(unknown);
    else if (mayLack && transaction.partialFor !== undefined && lacksTokenBalances(verified.tx))
      stripped.push(transaction);
    return transaction;
  };
  try {
    return { ...verifyBlock(ref, { chainGid, raw, take, accounts: known }), stripped, unreadable };
  } catch (error) {
    if (!(error instanceof UnknownTransactionError)) throw error;
    const accounts = await requestAccounts(session, { ref, signal });
    stripped.length = 0;
    unreadable.length = 0;
    return { ...verifyBlock(ref, { chainGid, raw, take, accounts }), stripped, unreadable };
  }
}

interface ToldTransaction {
  readonly transaction: Transaction;
  /** Absent: all of it was read. */
  readonly unknown?: UnknownPart;
}

/**
 * A decoded transaction. One whose instructions cannot be read, which its sender chose, is told by its balances: it alone waits
 * for another endpoint, and not its chain (docs/rules/unknown.md). The incident names the fault, which may be one of this code.
 * @throws what its balances are wrong by: then it is not what it claims to be
 */
function decodeTold(network: Network, verified: VerifiedTransaction): ToldTransaction {
  try {
    return { transaction: decodeTransaction(network, verified) };
  } catch (error) {
    if (!(error instanceof Error) || error instanceof BaseError) throw error;
    const { tx } = verified;
    const transaction = decodeTransaction(network, {
      ...verified,
      tx: hideInstructions(tx),
      isUnproved: true,
    });
    const unknown = {
      kind: 'transaction-form:instruction',
      transactionHash: tx.signature,
      expected: 'instructions that can be read',
      got: `${error.name}: ${error.message}`,
    };
    return { transaction, unknown };
  }
}
