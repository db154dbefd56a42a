// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from '@chainwatch/chain-core';
import type { TransactionInfo, WalletBlock, InternalTransaction, WalletLog } from './wallet-block.ts';
import { lowerHex } from './parse-hex.ts';

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

/**
 * A block with its identifiers in lower case, as java-tron writes them: they are compared and stored as texts. What is read
 * as bytes stays as it is (`parseHex`).
 */
function lowerBlock(block: WalletBlock): WalletBlock {
  const { blockID, block_header: header, transactions } = block;
  const { parentHash, txTrieRoot } = header.raw_data;
  const needs = [blockID, parentHash, txTrieRoot, ...(transactions ?? []).map((tx) => tx?.txID)].some(
    hasCapitals,
  );
  if (!needs) return block;
  return {
    ...block,
    blockID: lowerHex(blockID),
    block_header: {
      ...header,
      raw_data: {
        ...header.raw_data,
        ...(parentHash !== undefined && { parentHash: lowerHex(parentHash) }),
        ...(txTrieRoot !== undefined && { txTrieRoot: lowerHex(txTrieRoot) }),
      },
    },
    ...(transactions && { transactions: transactions.map((tx) => ({ ...tx, txID: lowerHex(tx.txID) })) }),
  };
}

/** Records with every text of hexadecimal digits in lower case. */
function lowerInfos(infos: readonly TransactionInfo[]): readonly TransactionInfo[] {
  return infos.map((info) => {
    if (typeof info !== 'object' || info === null) return info;
    const { id, log, internal_transactions: internal, orderId, orderDetails } = info;
    return {
      ...info,
      id: lowerHex(id),
      ...(orderId !== undefined && { orderId: lowerHex(orderId) }),
      ...(Array.isArray(orderDetails) && {
        orderDetails: orderDetails.map((one) => ({ ...one, makerOrderId: lowerHex(one?.makerOrderId) })),
      }),
      ...(Array.isArray(log) && { log: log.map(lowerLog) }),
      ...(Array.isArray(internal) && { internal_transactions: internal.map(lowerInternal) }),
    };
  });
}

function lowerLog(log: WalletLog): WalletLog {
  const { address, topics, data } = log;
  if (!hasCapitals(address) && !hasCapitals(data) && !topics?.some?.(hasCapitals)) return log;
  return {
    ...log,
    ...(address !== undefined && { address: lowerHex(address) }),
    ...(Array.isArray(topics) && { topics: topics.map(lowerHex) }),
    ...(data !== undefined && { data: lowerHex(data) }),
  };
}

function lowerInternal(one: InternalTransaction): InternalTransaction {
  const { caller_address: caller, transferTo_address: receiver, note } = one;
  if (![caller, receiver, note].some(hasCapitals)) return one;
  return {
    ...one,
    ...(caller !== undefined && { caller_address: lowerHex(caller) }),
    ...(receiver !== undefined && { transferTo_address: lowerHex(receiver) }),
    ...(note !== undefined && { note: lowerHex(note) }),
  };
}

function hasCapitals(value: unknown): boolean {
  return typeof value === 'string' && /[A-F]/.test(value);
}
