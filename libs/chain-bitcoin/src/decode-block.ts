// SPDX-License-Identifier: Apache-2.0
import type { Block, BlockRef } from '@chainwatch/chain-core';
import type { BitcoinTraits } from './bitcoin-traits.ts';
import { decodeTransaction } from './decode-transaction.ts';
import { orderByParents } from './order-by-parents.ts';
import { verifyBlock } from './verify-block.ts';

/** The block `ref` from its bytes, proved; parents before children, whatever their `index`. @throws IncompleteBlockError */
export function decodeBlock(ref: BlockRef, bytes: Buffer, traits: BitcoinTraits): Block {
  const { header, transactions } = verifyBlock(ref, bytes, traits);
  const decoded = transactions.map(decodeTransaction);
  return {
    number: ref.number,
    hash: header.hash,
    parentHash: header.parentHash,
    timestamp: header.timestamp,
    transactions: traits.transactionOrder === 'canonical' ? orderByParents(decoded) : decoded,
    balanceChanges: [],
    touchedAssets: [],
  };
}
