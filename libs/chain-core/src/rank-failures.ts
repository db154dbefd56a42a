// SPDX-License-Identifier: Apache-2.0
import { ChainError } from './errors.ts';

/**
 * Errors that another endpoint may not have. After `wrong_chain` the same endpoint is not retried, but the
 * next one is asked.
 */
export function mayDiffer(error: unknown): error is ChainError {
  return error instanceof ChainError && (error.retryable || error.code === 'wrong_chain');
}

/**
 * The error to report when every endpoint failed: an incomplete block tells more than a refused connection.
 */
export function moreTelling(first: Error | undefined, second: ChainError): Error {
  if (first === undefined) return second;
  const rank = (error: Error): number => (error instanceof ChainError ? TELLING.indexOf(error.code) : -1);
  return rank(second) > rank(first) ? second : first;
}

/** Where one endpoint has the block, with something unknown in it, the gaps of another endpoint's answer say nothing. */
const TELLING = ['node_error', 'wrong_chain', 'block_not_found', 'incomplete_block', 'unknown_content'];
