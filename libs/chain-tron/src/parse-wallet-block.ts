// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from '@chainwatch/chain-core';
import { lowerBlock, lowerInfos } from './lower-answers.ts';
import type { TransactionInfo, WalletBlock } from './wallet-block.ts';

/** A block, undefined for `{}`: the node has none there. @throws ChainClientError for anything else */
export function parseWalletBlock(method: string, json: unknown): WalletBlock | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new ChainClientError(`${method}: expected a block, got ${json === null ? 'null' : typeof json}`);
  if (Object.keys(json).length === 0) return undefined;
  const block = json as Partial<WalletBlock>;
  if (typeof block.blockID !== 'string' || typeof block.block_header?.raw_data !== 'object')
    throw new ChainClientError(`${method}: expected a block with an id and a header, got one without`);
  if (block.transactions !== undefined && !Array.isArray(block.transactions))
    throw new ChainClientError(
      `${method}: expected a list of transactions, got ${typeof block.transactions}`,
    );
  return lowerBlock(block as WalletBlock);
}

/** The list, undefined for `{}`: the node does not have that block (an empty one gives `[]`). @throws ChainClientError for anything else */
export function parseInfos(method: string, json: unknown): readonly TransactionInfo[] | undefined {
  if (Array.isArray(json)) return lowerInfos(json as TransactionInfo[]);
  if (typeof json === 'object' && json !== null && Object.keys(json).length === 0) return undefined;
  throw new ChainClientError(`${method}: expected a list, got ${json === null ? 'null' : typeof json}`);
}
