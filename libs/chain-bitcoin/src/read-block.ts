// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, settleUnknowns } from '@chainwatch/chain-core';
import type { Block, BlockRef, ReadBlockOptions } from '@chainwatch/chain-core';
import { callRaw } from './call-raw.ts';
import { isMissingBlock } from './classify-node-error.ts';
import { decodeBlock } from './decode-block.ts';
import { parseHex } from './parse-hex.ts';
import { readFieldBlock } from './read-field-block.ts';
import { UnknownEncodingError } from './read-transaction.ts';
import type { Session } from './session.ts';

/**
 * A whole block by hash, proved and decoded from its bytes; or from its fields, when it has transactions with
 * an unknown byte layout.
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
  const bytes = await readRawBlock(session, ref, signal);
  try {
    return decodeBlock(ref, bytes, session.traits);
  } catch (error) {
    if (!(error instanceof UnknownEncodingError)) throw error;
    const { block, unknowns } = await readFieldBlock(session, { ref, bytes, signal });
    return settleUnknowns(block, unknowns, options);
  }
}

/** A block's bytes, which prove nothing yet. @throws BlockNotFoundError, IncompleteBlockError, ChainClientError */
export async function readRawBlock(session: Session, ref: BlockRef, signal?: AbortSignal): Promise<Buffer> {
  try {
    const hex = await callRaw(session, { method: 'getblock', hash: ref.hash, signal });
    return parseHex(`block ${ref.number} ${ref.hash}`, hex);
  } catch (error) {
    if (!isMissingBlock(error)) throw error;
    throw new BlockNotFoundError(`block ${ref.number} ${ref.hash} is not known to the node`, {
      cause: error,
      publicMessage: `block ${ref.number} is not known to the node`,
    });
  }
}
