// SPDX-License-Identifier: Apache-2.0
import type { Network } from '@chainwatch/chain-core';
import type { EvmTraits } from './networks.ts';
import type { RpcTransport } from './rpc-transport.ts';
import type { SettlementBook } from './settlement/settlement-book.ts';

/** What the readers of one endpoint share. */
export interface Session {
  readonly network: Network;
  readonly traits: EvmTraits;
  readonly transport: RpcTransport;
  readonly capabilities: Capabilities;
  /** Hashes of blocks in which this endpoint told a wrong sender. */
  readonly doubted: Set<string>;
  /** Blocks whose receipts a later header proves. */
  readonly settlement: SettlementBook;
}

/** What one endpoint can do, found out by use and remembered for the life of the client. */
export interface Capabilities {
  /** How receipts are read. `single`: eth_getBlockReceipts is not there. */
  receipts: 'by_hash' | 'by_object' | 'by_number' | 'single';
  /**
   * `trace_block` is tried first: nodes that have it answer from an index, while debug_traceBlockByHash runs
   * the block again.
   */
  trace: 'trace_block' | 'debug_hash' | 'none';
  /** Calls take a block by hash (EIP-1898). */
  hasBlockByHash: boolean;
  hasMulticall: boolean;
  /** False once eth_getLogs was not there. */
  hasLogs: boolean;
  /** False once an endpoint with an http URL refused a WebSocket. */
  hasSocket: boolean;
}
