// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import {
  nativeOf,
  ChainClientError,
  type Block,
  type Network,
  type Transaction,
} from '@chainwatch/chain-core';
import { z } from 'zod';

const transactionSchema = z.object({
  nonce: z.int(),
  from: z.string(),
  to: z.string(),
  amount: z.string().regex(/^\d{1,30}$/),
});
const blockSchema = z.object({
  number: z.int(),
  parentHash: z.string(),
  timestamp: z.int(),
  transactions: z.array(transactionSchema),
});

/** The hash is computed, never told: another block has another one. @throws ChainClientError */
export function decodeBlock(network: Network, answer: unknown): Block {
  const { data: block, error } = blockSchema.safeParse(answer);
  if (error !== undefined) throw new ChainClientError(`toy_block: ${z.prettifyError(error)}`);
  const { number, parentHash, timestamp } = block;
  return {
    number,
    hash: hashOf(block),
    parentHash,
    timestamp,
    transactions: block.transactions.map((each, index) => decodeTransaction(network, each, index)),
    balanceChanges: [],
    touchedAssets: [],
  };
}

function decodeTransaction(
  network: Network,
  transaction: z.infer<typeof transactionSchema>,
  index: number,
): Transaction {
  const { from, to, amount } = transaction;
  const moved = { from, to, amountRaw: BigInt(amount), assetGid: nativeOf(network).gid };
  return {
    hash: hashOf(transaction),
    index,
    isFailed: false,
    from,
    to,
    transfers: [{ index: 0, type: 'native', ...moved }],
  };
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
