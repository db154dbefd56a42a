// SPDX-License-Identifier: Apache-2.0
/**
 * What the RPC gateway has to know of signed transactions, so that a key sees what it sent. Pure. Parameters are raw JSON
 * text as a client wrote them, by place or by name.
 */
export interface RpcTransactions {
  /** Undefined: the call reads blocks alone. Methods of the path interface count as well. */
  viewOf(method: string, params: string): TransactionView | undefined;
  /** Whether a reply to a call with a `transaction` view says that the node does not know the transaction. */
  isUnknown(reply: string): boolean;
  /** Methods that hand a signed transaction to the public network: neither private nor conditional. */
  readonly broadcasts: RegExp;
  /** How a node is asked for a transaction whose send brought no answer. Absent: what became of it stays unknown. */
  readonly lookUp?: TransactionLookUp;
}

export interface TransactionLookUp {
  /** The hash of the transaction that a call sends. Undefined if the call sends none, or several. */
  hashOf(method: string, params: string): string | undefined;
  /** Questions to a node, the cheapest first. */
  questionsOf(hash: string): readonly (readonly [method: string, params: readonly unknown[]])[];
  /** Whether an answer to such a question says that the node knows the transaction. Default: it is not null. */
  isKnown?(answer: unknown): boolean;
  /** How long a node may not know yet what it took. Default 0. */
  readonly settlesMs?: number;
}

/**
 * `pending`: what the node holds beyond its blocks, or would do with it: differs from node to node, and from one moment
 * to the next. `transaction`: a transaction by its hash, which may be in no block yet.
 */
export type TransactionView = 'pending' | 'transaction';

/** Longer replies know what they were asked for. */
export const UNKNOWN_BYTES_MAX = 512;

/** The first text in raw JSON that is the hexadecimal form of at least ten bytes. */
export function findRawHex(params: string): string | undefined {
  return /"(?:0x)?((?:[0-9a-fA-F]{2}){10,})"/.exec(params)?.[1];
}
