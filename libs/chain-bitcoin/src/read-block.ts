import { BlockNotFoundError } from '@chainwatch/chain-core';
import type { Block, BlockRef } from '@chainwatch/chain-core';
import { callRaw } from './call-raw.ts';
import { isMissingBlock } from './classify-node-error.ts';
import { decodeBlock } from './decode-block.ts';
import { parseHex } from './parse-hex.ts';
import type { Session } from './session.ts';

/**
 * A whole block by hash, from its bytes, proved and decoded.
 * @throws BlockNotFoundError, IncompleteBlockError, ChainClientError
 */
export async function readBlock(session: Session, ref: BlockRef, signal?: AbortSignal): Promise<Block> {
  const bytes = parseHex(`block ${ref.number} ${ref.hash}`, await readRawBlock(session, ref, signal));
  return decodeBlock(ref, bytes, session.traits);
}

async function readRawBlock(session: Session, ref: BlockRef, signal?: AbortSignal): Promise<unknown> {
  try {
    return await callRaw(session, 'getblock', ref.hash, signal);
  } catch (error) {
    if (!isMissingBlock(error)) throw error;
    throw new BlockNotFoundError(`block ${ref.number} ${ref.hash} is not known to the node`, {
      cause: error,
      publicMessage: `block ${ref.number} is not known to the node`,
    });
  }
}
