import { BlockNotFoundError, IncompleteBlockError, settleUnknowns } from '@chainwatch/chain-core';
import type { Block, BlockRef, ReadBlockOptions, Transaction } from '@chainwatch/chain-core';
import { askWithVersions } from './ask-with-versions.ts';
import { isCleanedUp, isNotYet, isSkipped } from './classify-node-error.ts';
import { decodeBlock, decodeTransaction } from './decode-block.ts';
import { RoundedAmountError } from './lamports.ts';
import { UnknownVersionError } from './parse-transaction.ts';
import type { RawBlock } from './raw-block.ts';
import type { LargeAnswer } from './rpc-client.ts';
import type { Session } from './session.ts';
import { verifyBlock, type VerifiedBlock } from './verify-block.ts';

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
  const { signal } = options;
  const { transactions, count, isFeeProved, unknowns, isUnproved } = await verify(session, {
    ref,
    raw,
    signal,
  });
  if (!isFeeProved) await verifyCount(session, { ref, count, signal });
  const block = decodeBlock(session.network, {
    ref,
    raw,
    transactions: isUnproved ? transactions.map((one) => ({ ...one, isUnproved })) : transactions,
  });
  session.slots.note(block);
  return settleUnknowns(block, unknowns, options);
}

/** Verifies the block. Where it has transactions whose bytes cannot be read, their accounts are asked for. */
async function verify(
  session: Session,
  { ref, raw, signal }: { readonly ref: BlockRef; readonly raw: RawBlock; readonly signal?: AbortSignal },
): Promise<VerifiedBlock<Transaction>> {
  const take = decodeTransaction.bind(undefined, session.network);
  try {
    return verifyBlock(ref, { raw, take });
  } catch (error) {
    if (!(error instanceof UnknownVersionError)) throw error;
    const accounts = toRawBlock(
      ref,
      (await requestBlock(session, { ref, transactionDetails: 'accounts', signal })).readExact(),
    );
    return verifyBlock(ref, { raw, take, accounts });
  }
}

export async function requestBlock(
  session: Session,
  {
    ref,
    transactionDetails,
    signal,
  }: {
    readonly ref: BlockRef;
    readonly transactionDetails: 'full' | 'accounts' | 'signatures';
    readonly signal?: AbortSignal;
  },
): Promise<LargeAnswer> {
  try {
    return await askWithVersions(session, (maxSupportedTransactionVersion) => {
      const config = {
        commitment: 'confirmed',
        encoding: 'base64',
        transactionDetails,
        maxSupportedTransactionVersion,
        rewards: true,
      };
      return session.rpc.callLarge('getBlock', [ref.number, config], signal);
    });
  } catch (error) {
    const why = isSkipped(error)
      ? 'the node has no block in that slot'
      : isNotYet(error)
        ? 'the node is behind'
        : isCleanedUp(error)
          ? 'the node keeps no blocks that old'
          : undefined;
    if (why === undefined) throw error;
    throw new BlockNotFoundError(`block ${ref.number} ${ref.hash} is not known to the node: ${why}`, {
      cause: error,
      publicMessage: `block ${ref.number} is not known to the node: ${why}`,
    });
  }
}

export function toRawBlock(ref: BlockRef, result: unknown): RawBlock {
  if (result === null)
    throw new BlockNotFoundError(`block ${ref.number} ${ref.hash} is not known to the node`);
  const raw = result as Partial<RawBlock>;
  const isBlock =
    typeof result === 'object' &&
    typeof raw.blockhash === 'string' &&
    typeof raw.previousBlockhash === 'string' &&
    typeof raw.parentSlot === 'number' &&
    isIterable(raw.transactions);
  if (!isBlock)
    throw new IncompleteBlockError(
      `block ${ref.number} ${ref.hash}: expected hashes, parent and transactions, got something else`,
    );
  return result as RawBlock;
}

/**
 * For a block without a leader's reward: its account could not take it, which happens, or the node keeps no
 * rewards. The node's list of signatures, which it reads in another way, is then compared.
 */
async function verifyCount(
  session: Session,
  { ref, count, signal }: { readonly ref: BlockRef; readonly count: number; readonly signal?: AbortSignal },
): Promise<void> {
  const answer = (await requestBlock(session, { ref, transactionDetails: 'signatures', signal })).result as {
    readonly signatures?: unknown;
  } | null;
  const listed = answer?.signatures;
  if (Array.isArray(listed) && listed.length === count) return;
  const expected = Array.isArray(listed) ? `${listed.length}, as the node lists` : 'a list of signatures';
  throw new IncompleteBlockError(
    `transactions of block ${ref.number} ${ref.hash}: expected ${expected}, got ${count}`,
  );
}

const isIterable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Symbol.iterator in value;
