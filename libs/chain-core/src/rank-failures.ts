import { ChainError } from './errors.ts';

/** Errors that another endpoint may not have; `wrong_chain` is not for the same endpoint again, but for the next one. */
export function mayDiffer(error: unknown): error is ChainError {
  return error instanceof ChainError && (error.retryable || error.code === 'wrong_chain');
}

/** What the caller should know when every endpoint failed: an incomplete block tells more than a refused connection. */
export function moreTelling(first: Error | undefined, second: ChainError): Error {
  if (first === undefined) return second;
  const rank = (error: Error): number => (error instanceof ChainError ? TELLING.indexOf(error.code) : -1);
  return rank(second) > rank(first) ? second : first;
}

/** Of a block that one endpoint has with something unknown in it, another one's omissions say nothing. */
const TELLING = ['node_error', 'wrong_chain', 'block_not_found', 'incomplete_block', 'unknown_content'];
