import { BaseError } from '@chainwatch/problem';
import type { Claim } from './owners-table.ts';

/** The share is, or may be, somebody else's: nothing was written. Stop working on it. */
export class ShareLostError extends BaseError {
  readonly code = 'fenced';
  readonly retryable = false;
  constructor({ kind, share, token }: Claim, why: string) {
    super(`token ${token} of ${kind} ${share} is no good any more: ${why}`);
  }
}
