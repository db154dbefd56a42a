// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from '@chainwatch/chain-core';

const MISSING_BLOCK_TEXT =
  /block not found|block height out of range|block not available|can't read block from disk|header not found/i;
const MISSING_TRANSACTION_TEXT =
  /no such mempool|transaction not found|no information available about transaction|not found in (the )?mempool/i;
const UNSUPPORTED_CODES = new Set([-32601, 403, 404, 405, 501]);

/** The node does not know the block, or has pruned its body. Core says -5, -8 or -1, bcoin always -1. */
export function isMissingBlock(error: unknown): boolean {
  return (
    error instanceof ChainClientError &&
    error.nodeCode !== undefined &&
    MISSING_BLOCK_TEXT.test(error.message)
  );
}

/** The transaction is neither in the mempool nor, where the node keeps an index, in a block. */
export function isMissingTransaction(error: unknown): boolean {
  if (!(error instanceof ChainClientError) || error.nodeCode === undefined) return false;
  return error.nodeCode === -5 || MISSING_TRANSACTION_TEXT.test(error.message);
}

/** The node does not offer the method, or not to us (`rpcwhitelist`). Remembered, not retried. */
export function isUnsupported(error: unknown): boolean {
  return (
    error instanceof ChainClientError && error.nodeCode !== undefined && UNSUPPORTED_CODES.has(error.nodeCode)
  );
}

/** The parameters are not of the types that this node takes: -1 (Core before 25), -3, -8, -32602, -32603 (bcoin). */
export function isInvalidParams(error: unknown): boolean {
  if (
    !(error instanceof ChainClientError) ||
    error.nodeCode === undefined ||
    isMissingBlock(error) ||
    isMissingTransaction(error)
  )
    return false;
  return [-1, -3, -8, -32602, -32603, -32600].includes(error.nodeCode);
}

/** Somebody else's scan of the UTXO set is under way; a node runs one at a time. */
export function isScanRunning(error: unknown): boolean {
  return (
    error instanceof ChainClientError &&
    error.nodeCode === -8 &&
    /scan already in progress/i.test(error.message)
  );
}
