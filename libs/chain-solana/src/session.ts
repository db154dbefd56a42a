// SPDX-License-Identifier: Apache-2.0
import type { Network } from '@chainwatch/chain-core';
import type { ConsensusBook } from './consensus-book.ts';
import type { RpcClient } from './rpc-client.ts';
import type { SignatureBook } from './signature-book.ts';
import type { SlotBook } from './slot-book.ts';
import type { TouchBook } from './touch-book.ts';

/** What the readers of one endpoint share. */
export interface Session {
  readonly network: Network;
  readonly rpc: RpcClient;
  readonly slots: SlotBook;
  readonly touches: TouchBook;
  readonly signatures: SignatureBook;
  readonly versions: Versions;
  readonly consensus: ConsensusBook;
}

/** The highest transaction version that this node is told to include. */
export interface Versions {
  max: number;
}
