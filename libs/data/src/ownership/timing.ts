// SPDX-License-Identifier: Apache-2.0
/** What makes the shares of a kind move, apart from the lease itself. */
export interface Timing {
  /** Between two looks at who lives and who owns what, of a replica that may take more, and of each of two. */
  readonly lookMs: number;
  /**
   * How long a heartbeat is valid: shorter than a lease, so that a dead replica no longer counts when its leases
   * end.
   */
  readonly beatMs: number;
  /** An idle owner renews so often. */
  readonly renewMs: number;
  /** Between two shares that a replica lets go. */
  readonly letGoMs: number;
  /** A node that has not answered for this long counts as unreachable. */
  readonly unreachableMs: number;
  /** A share that was let go because of its node is not taken again for this long. */
  readonly declineMs: number;
}

export const TIMING: Timing = {
  lookMs: 500,
  beatMs: 7_000,
  renewMs: 3_000,
  letGoMs: 2_000,
  unreachableMs: 10_000,
  declineMs: 60_000,
};
