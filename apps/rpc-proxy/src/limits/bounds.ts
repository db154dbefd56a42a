// SPDX-License-Identifier: Apache-2.0
/** Limits on memory, connections and calls in flight. */
export interface Bounds {
  /** Bytes for bodies, calls in flight and unread answers: of the process, of a key, of a connection. */
  readonly heldBytes: number;
  readonly heldBytesPerKey: number;
  readonly heldBytesPerConnection: number;
  /** Calls of a key in flight at one node. */
  readonly callsPerKey: number;
  /** Open connections of a key, and from one client address (not applied if proxies stand in front). */
  readonly socketsPerKey: number;
  readonly connectionsPerClient: number;
  /** A connection that accepts no byte for this long is cut. */
  readonly writeTimeoutMs: number;
}

const MIB = 1_048_576;

export const DEFAULT_BOUNDS: Bounds = {
  heldBytes: 256 * MIB,
  heldBytesPerKey: 64 * MIB,
  heldBytesPerConnection: 16 * MIB,
  callsPerKey: 64,
  socketsPerKey: 1_000,
  connectionsPerClient: 1_000,
  writeTimeoutMs: 30_000,
};
