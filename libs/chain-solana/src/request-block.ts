// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, IncompleteBlockError } from '@chainwatch/chain-core';
import type { BlockRef } from '@chainwatch/chain-core';
import { askWithVersions } from './ask-with-versions.ts';
import { isCleanedUp, isNotYet, isSkipped } from './classify-node-error.ts';
import type { RawBlock } from './raw-block.ts';
import type { LargeAnswer } from './rpc-client.ts';
import type { Session } from './session.ts';

/** Asks for the block of a slot. @throws BlockNotFoundError, ChainClientError */
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

/** @throws BlockNotFoundError, IncompleteBlockError when it is no block */
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

const isIterable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Symbol.iterator in value;
