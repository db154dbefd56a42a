import { IncompleteBlockError, rankOf, settleUnknowns } from '@chainwatch/chain-core';
import type {
  Block,
  BlockRef,
  DecodedVerification,
  ReadBlockOptions,
  Transaction,
} from '@chainwatch/chain-core';
import { decodeBlock, decodeTransaction } from './decode-block.ts';
import { RoundedAmountError } from './lamports.ts';
import { proveWhole } from './prove-whole.ts';
import type { RawBlock } from './raw-block.ts';
import { requestBlock, toRawBlock } from './request-block.ts';
import type { LargeAnswer } from './rpc-client.ts';
import type { Session } from './session.ts';
import { verifyBlock, type VerifiedBlock } from './verify-block.ts';
import { UnknownTransactionError } from './wire/unknown-transaction-error.ts';

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
  const answer = await requestBlock(session, { ref, transactionDetails: 'full', signal });
  try {
    return await readVerified(session, {
      ref,
      raw: toRawBlock(ref, answer.result),
      options: { ...options, signal },
    });
  } catch (error) {
    // Parse the whole text again where an amount was rounded or the text was cut wrongly.
    if (error instanceof RoundedAmountError || error instanceof SyntaxError)
      return readWhole(session, { ref, answer, options: { ...options, signal } });
    throw toIncomplete(ref, error);
  }
}

type ReadOptions = ReadBlockOptions & { readonly signal?: AbortSignal | undefined };

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

async function readVerified(
  session: Session,
  { ref, raw, options }: { readonly ref: BlockRef; readonly raw: RawBlock; readonly options: ReadOptions },
): Promise<Block> {
  const { transactions, unknowns, ...verified } = await verify(session, { ref, raw, signal: options.signal });
  const whole = await proveWhole(session, { ref, verified, options });
  const block = decodeBlock(session.network, {
    ref,
    raw,
    transactions: transactions.map((one) => withLess(one, whole.transactions)),
    verification: whole.block,
  });
  session.slots.note(block);
  return settleUnknowns(block, [...unknowns, ...whole.unknowns], options);
}

/** A transaction has no more behind it than the list that it stands in. */
function withLess(transaction: Transaction, verification: DecodedVerification | undefined): Transaction {
  return verification === undefined || rankOf(transaction.verification ?? 'proved') >= rankOf(verification)
    ? transaction
    : { ...transaction, verification };
}

/** Verifies the block. Where it has transactions whose bytes cannot be read, their accounts are asked for. */
async function verify(
  session: Session,
  { ref, raw, signal }: { readonly ref: BlockRef; readonly raw: RawBlock; readonly signal?: AbortSignal },
): Promise<VerifiedBlock<Transaction>> {
  const chainGid = session.network.gid;
  const take = decodeTransaction.bind(undefined, session.network);
  try {
    return verifyBlock(ref, { chainGid, raw, take });
  } catch (error) {
    if (!(error instanceof UnknownTransactionError)) throw error;
    const accounts = toRawBlock(
      ref,
      (await requestBlock(session, { ref, transactionDetails: 'accounts', signal })).readExact(),
    );
    return verifyBlock(ref, { chainGid, raw, take, accounts });
  }
}
