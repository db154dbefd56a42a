// SPDX-License-Identifier: Apache-2.0
import {
  Signal,
  type ActiveChain,
  type Block,
  type BlockRef,
  type FailoverClient,
  type OpenedChain,
} from '@chainwatch/chain-core';
import type { OwnedShare } from '@chainwatch/data/ownership';
import { WriterQueue } from '../commit/writer-queue.ts';
import { ChainFeed } from '../feed/chain-feed.ts';
import { readBody } from '../feed/read-body.ts';
import { keepOwnEvidence } from '../evidence/keep-own-evidence.ts';
import { UnknownGate } from '../incidents/unknown-gate.ts';
import { AssetRegistry } from '../match/asset-registry.ts';
import type { PassedBlockReader } from '../match/find-retroactive-candidates.ts';
import { MempoolAnalyzer } from '../mempool/mempool-analyzer.ts';
import type { ChainContext } from '../model/chain-context.ts';
import { SetAsides } from '../model/set-asides.ts';
import { CoinWatch } from '../watch/coin-watch.ts';
import type { ChainAnalyzerDeps } from './chain-analyzer-deps.ts';
import { ChainStatusReporter, Recovery } from './chain-status-reporter.ts';
import { StepPreparer } from './run-chain-step.ts';

/** A chain that is ours. */
export interface OwnedChain {
  readonly active: ActiveChain;
  readonly opened: OpenedChain;
  readonly share: OwnedShare;
}

/** What the analysis of one chain is made of. */
export interface ChainParts {
  readonly chain: ChainContext;
  readonly client: FailoverClient;
  readonly assets: AssetRegistry;
  readonly feed: ChainFeed;
  readonly mempool: MempoolAnalyzer;
  readonly preparer: StepPreparer;
  readonly recovery: Recovery;
  readonly status: ChainStatusReporter;
  /** Something is to be done. */
  readonly wake: Signal;
  /** Work from beside the feed. */
  readonly writerQueue: WriterQueue;
  /** Reads a block through the gate that holds back blocks with something unknown. */
  readBlock(ref: BlockRef, signal: AbortSignal): Promise<Block>;
  /** Reads bodies of blocks already passed, and retries for ever. */
  passedBlockReader(signal: AbortSignal): PassedBlockReader;
}

export function createChainParts(deps: ChainAnalyzerDeps, owned: OwnedChain): ChainParts {
  const { db: sql, family: watch, logger, options, reportReach } = deps;
  const { opened } = owned;
  const { client, network } = opened;
  const wake = new Signal();
  const { metadataTimeoutMs, unknownWaitMs } = options;
  const assets = new AssetRegistry({ sql, network, client: () => client, metadataTimeoutMs });
  const chain = createContext(deps, owned, assets);
  const { gid: chainGid, family, utxo, setAsides } = chain;
  const status = new ChainStatusReporter({ logger, chain });
  const gate = new UnknownGate({ sql, client, chain, waitMs: unknownWaitMs });
  const read: typeof gate.read = async (...of) => keepOwnEvidence(sql, chainGid, await gate.read(...of));
  const bodyDeps = { read, sql, chainGid, logger, reportReach };
  const passedBlockReader =
    (signal: AbortSignal): PassedBlockReader =>
    (ref) =>
      readBody(bodyDeps, { ref, onTrouble: status.reportTrouble, signal });
  const feed = new ChainFeed({
    ...{ sql, chainGid, network, options, onChange: wake.notify },
    readBody: (ref, onTrouble, signal) => readBody(bodyDeps, { ref, onTrouble, signal }),
  });
  const recovery = new Recovery({ chainGid, logger, feed, status });
  const { ring } = feed;
  const preparer = new StepPreparer({
    prepare: { sql, chainGid, family, network, watch, client, assets, utxo, setAsides },
    passed: (signal) => ({
      ...{ sql, chainGid, ring, readBody: passedBlockReader(signal) },
      codec: utxo?.codec,
    }),
  });
  const onChange = wake.notify;
  const mempool = new MempoolAnalyzer({ ...deps, watch, chain, reader: client.mempool, ring, onChange });
  const writerQueue = new WriterQueue(wake.notify);
  return {
    ...{ chain, client, assets, feed, mempool, preparer, recovery, status, wake, writerQueue },
    readBlock: read,
    passedBlockReader,
  };
}

function createContext(
  { db }: ChainAnalyzerDeps,
  { active, opened, share }: OwnedChain,
  { decimalsOf, isNft, learn }: AssetRegistry,
): ChainContext {
  const { gid, family } = active;
  const utxo = opened.utxo && { codec: opened.utxo, coins: new CoinWatch(db, gid) };
  return {
    ...{ gid, family, network: opened.network, share, decimalsOf, isNft, learn },
    utxo,
    setAsides: new SetAsides(),
    hasOthers: new Set(opened.client.clients.map(({ label }) => label)).size > 1,
    endpointOf: (block) => opened.client.endpointOf(block),
    displayOf: opened.displayAddress ?? ((address) => address),
  };
}
