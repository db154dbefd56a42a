// SPDX-License-Identifier: Apache-2.0
import type { TransactionRecord } from './transaction-record.ts';
import type { Project } from './project.ts';
import type { ServiceName } from './services.ts';

/** One address of a script and the first block that counts for it, as the API said. */
export interface Watched {
  readonly address: string;
  readonly fromBlock: number;
  /** Final blocks from here on count, too: its history was asked for. */
  readonly historyFrom?: number;
}

export interface ScriptOptions {
  readonly steps: number;
  /** Depth of the deepest ordinary reorg. */
  readonly reorgDepthMax: number;
  /** Called between steps: restarts, kills, faults. */
  readonly disturb?: (step: number) => Promise<void>;
}

/** One movement of a monitored address, as the chain itself tells it. */
export interface ExpectedTransaction {
  readonly hash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly isFailed: boolean;
  /** `type asset from to amount`, sorted: transfers that touch a watched address. */
  readonly transfers: readonly string[];
  /** Compared where it is given. */
  readonly direction?: string;
  /** What the fee may be in base units, null for unknown; compared where it is given. */
  readonly feesRaw?: readonly (string | null)[];
}

/** A node under the test's command, and what the chain itself says: the side of the oracle that a family has for itself. */
export interface TestChain {
  readonly gid: string;
  readonly family: string;
  readonly ingestor: ServiceName;
  /**
   * What `transaction.failed` says: that a transaction stands in a block without effect, and is told instead of
   * `transaction.detected`; or that one which was detected will not come.
   */
  readonly failure: 'outcome' | 'end';
  /** Transactions of addresses can be read from before they were watched. */
  readonly hasHistory?: boolean;
  /** What the services are told beyond what every chain needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Of the node itself, known when it has started. */
  readonly url: string;
  /** What the API is told of a node at `url`; default its `endpoint_url` alone. */
  describeEndpoint?(url: string): object;
  start(): Promise<void>;
  stop(): Promise<void>;
  readHead(): Promise<{ readonly number: number; readonly hash: string }>;
  /** Mines what waits, and so many blocks on top that everything is final. */
  finalize(): Promise<void>;
  /** For each project, once the chain is active. */
  prepare?(project: Project): Promise<void>;
  /** What a watcher of `watched` (address → first block that counts) must have of the blocks from `from` on. */
  expectTransactions(
    watched: ReadonlyMap<string, number>,
    from: number,
  ): Promise<Map<string, ExpectedTransaction>>;
  /** What else may be wrong with a project's records, in words. */
  findRecordFaults?(actual: ReadonlyMap<string, TransactionRecord>): string[];
  /** In words; empty when the API's balances are the chain's. */
  findBalanceFaults(project: Project, watched: readonly Watched[]): Promise<string[]>;
}

/** A chain on which somebody is paid on command. */
export interface PayingChain extends TestChain {
  readonly payee: string;
  /** By every kind of transfer that a lie may leave out; they wait for a block. */
  payPayee(): Promise<void>;
  mine(blocks?: number): Promise<void>;
}
