// SPDX-License-Identifier: Apache-2.0
// cspell:ignore throttl
import { ChainClientError } from '@chainwatch/chain-core';

const UNSUPPORTED_CODES = new Set([-32601, -32004, 403, 404, 405, 501]);
// Texts for methods and namespaces that are switched off, or not part of a provider's plan.
const UNSUPPORTED_TEXT =
  /method not found|method .{0,80}(does not exist|not (found|available|supported|allowed|enabled|whitelisted))|unsupported method|not supported|unknown method|method is not|not available on|is not whitelisted|is disabled|upgrade your|paid (plan|tier)|rpc method is unsupported/i;
const MISSING_METHOD_TEXT = /\bmethod \S+ (does not exist|is not available|not found)/i;
const MISSING_BLOCK_TEXT =
  /unknown block|block not found|header not found|header for hash not found|could not find block|block .{0,80}(not found|does not exist|is not available)|resource not found|unknown header|after last accepted block|canonical|invalid block hash|blockoutofrange|unfinalized data|block out of range/i;
const MISSING_STATE_TEXT =
  /missing trie node|historical state|state (is )?(not available|unavailable|already pruned|has been pruned|at block)|no state available|pruned|old data not available|distance to target block exceeds|state histories|required historical|not available.{0,40}state|state .{0,60}not (found|available)|world state/i;

/** The node does not offer the method: remembered, not retried. */
export function isUnsupported(error: unknown): boolean {
  if (!(error instanceof ChainClientError) || error.nodeCode === undefined) return false;
  if (isMissingBlock(error)) return false;
  return UNSUPPORTED_CODES.has(error.nodeCode) || UNSUPPORTED_TEXT.test(error.message);
}

/** The node does not understand the form of the parameters (a hash where it takes numbers). */
export function isInvalidParams(error: unknown): boolean {
  if (!(error instanceof ChainClientError)) return false;
  return (
    error.nodeCode === -32602 ||
    /invalid (params|argument|type)|cannot unmarshal|failed to (parse|deserialize)/i.test(error.message)
  );
}

/** The node does not know the block, or has pruned its state. */
export function isMissingBlock(error: unknown): boolean {
  if (!(error instanceof ChainClientError) || error.nodeCode === undefined) return false;
  // "the method trace_block does not exist/is not available" (geth) speaks of no block.
  if (error.nodeCode === -32601 || MISSING_METHOD_TEXT.test(error.message)) return false;
  return (
    error.nodeCode === -32001 ||
    MISSING_BLOCK_TEXT.test(error.message) ||
    MISSING_STATE_TEXT.test(error.message)
  );
}

/** The node is busy, rate-limited or broken; the same request may succeed later. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof ChainClientError)) return false;
  const code = error.nodeCode;
  if (code === undefined || code === 429 || (code >= 500 && code < 600)) return true;
  return code === -32005 || code === -32016 || code === -32603 || TRANSIENT_TEXT.test(error.message);
}

/** The node has no time for anybody: it may do later what it refuses now. A request that took too long is none of these. */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof ChainClientError)) return false;
  const code = error.nodeCode ?? 0;
  return (
    code === 429 ||
    code === -32005 ||
    code === -32016 ||
    [502, 503].includes(code) ||
    BUSY_TEXT.test(error.message)
  );
}

const BUSY_TEXT =
  /rate.?limit|limit exceeded|too many|overload|capacity|busy|throttl|compute units|ECONNREFUSED|ECONNRESET/i;
const TRANSIENT_TEXT =
  /rate.?limit|limit exceeded|too many|timed? ?out|overload|capacity|busy|try again|unavailable|internal error|internal server|connection|throttl|compute units/i;
