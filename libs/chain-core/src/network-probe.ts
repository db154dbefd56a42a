// SPDX-License-Identifier: Apache-2.0
import type { NetworkDocument } from './network-schema.ts';

/** One thing that was measured at a node. */
export interface ProbeFinding {
  /** `header hash`, `receipts root`, … */
  readonly what: string;
  /** `some`: in a part of the blocks. */
  readonly answer: 'yes' | 'some' | 'no';
  /** What was seen, and the reason where it is not as it should be. */
  readonly found: string;
}

export interface ProbeOptions {
  readonly endpointUrl: string;
  readonly signal?: AbortSignal;
  /** What this installation knows of networks, to be strengthened. */
  readonly findDocument: (gid: string) => NetworkDocument | undefined;
  readonly onFinding: (finding: ProbeFinding) => void;
}

/** What a probe says of a network. */
export interface ProbedNetwork {
  /** As it could be given to `PUT /networks`. Proofs are those that are known, or stronger ones. */
  readonly document: NetworkDocument;
  /** Members that no node tells: somebody has to look at them. */
  readonly guessed: readonly string[];
}
