/** The node's canonical chain changed while we were reading it. Nothing was committed of what was read; look again. */
export class BranchMovedError extends Error {
  readonly code = 'branch_moved';
  readonly retryable = true;
  constructor(message: string) {
    super(message);
    this.name = 'BranchMovedError';
  }
}

/** The stored feed is not where the follower thought: it loads the state again before anything else. */
export class StaleStateError extends Error {
  readonly code = 'stale_state';
  readonly retryable = true;
  constructor(chainGid: string, expectedSeq: number, storedSeq: number | undefined) {
    super(`expected feed_seq ${expectedSeq} of ${chainGid}, got ${storedSeq ?? 'no row'}`);
    this.name = 'StaleStateError';
  }
}
