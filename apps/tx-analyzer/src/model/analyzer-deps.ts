// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/platform/telemetry';
import type { Bus } from '@chainwatch/data/bus';
import type { ActiveChain, OpenChain, UtxoCodec } from '@chainwatch/chain-core';
import type { Database } from '@chainwatch/data/db';

export interface AnalyzerDeps {
  readonly db: Database;
  readonly bus: Bus<'tx-analyzer'>;
  readonly logger: Logger;
  readonly openChain: OpenChain;
  /** The codec of a chain of unspent outputs: its watch set is loaded with it. */
  readonly findUtxo: (chain: ActiveChain) => Promise<UtxoCodec | undefined>;
  readonly options?: AnalyzerOptions;
}

export interface AnalyzerOptions {
  /** Bodies read ahead per chain at most, default 64; fewer where blocks are large. */
  readonly prefetchWindow?: number;
  /** Blocks in one step at most, default 100. */
  readonly groupBlocksMax?: number;
  /** Transactions in one step at most (one block always goes), default 20,000. */
  readonly groupTransactionsMax?: number;
  /** How often addresses and chains are looked at without a message, default 1,000. */
  readonly pollMs?: number;
  /** How often the feed is looked at without a message, default 3,000: the last net. */
  readonly sweepMs?: number;
  /** How long an event may wait for the metadata of a token seen the first time, default 2,000. */
  readonly metadataTimeoutMs?: number;
  /** How often the mempool is read, where the node has one, default 1,000; 0: never. */
  readonly mempoolPollMs?: number;
  /** How long a pending transaction may be missing from the mempool before it counts as failed, default 60,000. */
  readonly mempoolGraceMs?: number;
  /**
   * How long other endpoints are asked for a block with something unknown before it is taken as far as it is
   * understood, default 300,000.
   */
  readonly unknownWaitMs?: number;
  /**
   * How long a transaction that only one node attests is withheld while endpoints of other operators do not answer, default
   * 10,000.
   */
  readonly attestWaitMs?: number;
  /** Coins of a chain are compared with its nodes' at the earliest this long after the time before; default 0: never. */
  readonly coinRoundIntervalMs?: number;
  /** How often a chain's row says that it has an owner, default 10,000: without for 30 s it has none. */
  readonly beatMs?: number;
  /** How long a worker beside the feed may fail before it is called stalled, default 15,000. */
  readonly stalledAfterMs?: number;
}
