// SPDX-License-Identifier: Apache-2.0
/**
 * What contracts of Ethereum and TRON share: the pieces of their ABI that token calls need, and token transfers in logs.
 * Pure. Used by the families of both.
 *
 * @example
 * decodeTransferLogs(notation, { logs: receipt.logs, logIndex, transfers });
 */
export { decodeBytes, decodeUint, encodeBalanceOf } from './abi.ts';
export {
  decodeTransferLogs,
  TouchedContracts,
  type ContractLog,
  type ContractNotation,
} from './decode-logs.ts';
export { readTokenContracts } from './token-metadata.ts';
