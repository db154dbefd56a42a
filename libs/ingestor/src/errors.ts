// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';

/** The node's canonical chain changed during the read. Nothing of that read was committed; read again. */
export class BranchMovedError extends BaseError {
  readonly code = 'branch_moved';
  readonly retryable = true;
  constructor(message: string) {
    super(message);
  }
}

/** The stored feed is not where the follower thought: it loads the state again before anything else. */
export class StaleStateError extends BaseError {
  readonly code = 'stale_state';
  readonly retryable = true;
  constructor(chainGid: string, expectedSeq: number, storedSeq: number | undefined) {
    super(`expected feed_seq ${expectedSeq} of ${chainGid}, got ${storedSeq ?? 'no row'}`);
  }
}
