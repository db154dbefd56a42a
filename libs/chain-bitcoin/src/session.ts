// SPDX-License-Identifier: Apache-2.0
import type { BlockHeader, Network } from '@chainwatch/chain-core';
import type { BitcoinTraits } from './bitcoin-traits.ts';
import type { EsploraClient } from './esplora-client.ts';
import type { RpcClient } from './rpc-client.ts';

/** What the readers of one endpoint share. */
export interface Session {
  readonly network: Network;
  readonly traits: BitcoinTraits;
  readonly rpc: RpcClient;
  readonly capabilities: Capabilities;
  /** The index beside the node, where one is configured. */
  readonly index?: EsploraClient;
  /** The head as last read, so that polling asks only for its hash. */
  head?: BlockHeader;
}

/** What one endpoint can do, found out by use and remembered for the life of the client. */
export interface Capabilities {
  /** How this node is asked for raw bytes: Core takes both, btcd numbers only, some gateways booleans only. */
  rawForm: 0 | false;
  hasWaitForNewBlock: boolean;
  hasScan: boolean;
  /** `getblock` with verbosity 3 shows what inputs spend (Core from 23 on). */
  hasPrevouts: boolean;
  /** `getmempoolinfo`, which tells whether the mempool is loaded. */
  hasMempoolInfo: boolean;
}
