// SPDX-License-Identifier: Apache-2.0
/**
 * A generated chain that settles blocks some seconds after it has accepted them, as Avalanche since Helicon (ACP-194), and a
 * node that serves it over JSON-RPC. For specs: it encodes everything itself, so the product's encoders are compared with
 * other ones.
 *
 * @example
 * const chain = await SettledChain.create();
 * await chain.append({ transactions: [{ to: address, value: 5n }] }); // block 1
 * const node = await startSettledNode(chain);
 * await chain.append({ settles: 1 }); // block 2, whose header proves the receipts of block 1
 * node.alter = (call, result) => (call.method === 'eth_getBlockReceipts' ? [] : result); // from now on it lies
 */
export { encodeAtomic, type AtomicPlan } from './encode-atomic.ts';
export type { NodeCall } from './answer-call.ts';
export { NodeError } from './answer-call.ts';
export { bloomOf, bytesOf, encodeReceipt, keccak, rootOf } from './encode-parts.ts';
export type { ChainLog, Hex } from './encode-parts.ts';
export { accountOf, type TransactionPlan } from './make-transaction.ts';
export {
  hashHeader,
  SettledChain,
  type BlockPlan,
  type ChainBlock,
  type HeaderFields,
  type SettledChainOptions,
} from './settled-chain.ts';
export { startSettledNode, type Alter, type SettledNode } from './start-settled-node.ts';
