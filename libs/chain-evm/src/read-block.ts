// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, IncompleteBlockError, settleUnknowns } from '@chainwatch/chain-core';
import type { Block, BlockRef, ReadBlockOptions } from '@chainwatch/chain-core';
import { isMissingBlock } from './classify-node-error.ts';
import { proveDoubted } from './prove-senders.ts';
import { decodeTraced, readVerified } from './read-verified.ts';
import type { Session } from './session.ts';
import { keepVerified } from './settlement/keep-verified.ts';
import { readSettledBlock } from './settlement/read-settled-block.ts';

interface BlockQuery {
  readonly ref: BlockRef;
  readonly signal?: AbortSignal;
  readonly options?: ReadBlockOptions;
}

/**
 * A whole block by hash, proved and decoded. Receipts are read in parallel with the body, traces as soon as
 * it is known that there is a transaction.
 * @throws BlockNotFoundError, IncompleteBlockError, ChainClientError, UnknownContentError unless `takeUnknown`
 */
export async function readBlock(session: Session, query: BlockQuery): Promise<Block> {
  const { ref } = query;
  try {
    return session.settlement.covers(ref.number)
      ? await readSettledBlock(session, query)
      : await readOwnProof(session, query);
  } catch (error) {
    throw toReadError(ref, error);
  }
}

/** What went wrong with a block, in the words of `ChainClient`. */
export function toReadError({ number, hash }: BlockRef, error: unknown): unknown {
  if (isMissingBlock(error))
    return new BlockNotFoundError(`block ${number} ${hash} is not known to the node`, { cause: error });
  // BigInt and field access on values of a wrong type: the answer was not what it claimed to be.
  if (error instanceof SyntaxError || error instanceof TypeError)
    return new IncompleteBlockError(`block ${number} ${hash} could not be read: ${error.message}`, {
      cause: error,
    });
  return error;
}

/** A block that its own header proves, as far as is known before it is read. */
async function readOwnProof(session: Session, query: BlockQuery): Promise<Block> {
  const { ref, signal, options = {} } = query;
  const { takeUntraced } = options;
  const read = await readVerified(session, { ref, signal, hasTraces: true, takeUntraced });
  const { verified, traces } = read;
  if (verified.settling !== undefined) {
    const kept = keepVerified(read, session.traits);
    // What was not traced may be traced the next time.
    if (traces?.unread === undefined) session.settlement.keep(kept);
    return readSettledBlock(session, { ...query, kept });
  }
  const decoded = decodeTraced(session.network, verified, traces);
  await proveDoubted(session, { ref, block: decoded, signal });
  return settleUnknowns(decoded, [...(verified.unknown?.parts ?? []), ...(decoded.unknowns ?? [])], options);
}
