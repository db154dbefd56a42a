// SPDX-License-Identifier: Apache-2.0
import { describePublicly, type ActiveChain, type OpenedChain, type UtxoCodec } from '@chainwatch/chain-core';
import { adoptRestoredRows } from '@chainwatch/data/db';
import type { EventRelay } from '@chainwatch/data/outbox';
import type { Workers } from '@chainwatch/platform/telemetry';
import { ShareLostError, type OwnedShare, type ShareWork } from '@chainwatch/data/ownership';
import { beginState, startBeating, writeStalled } from '../commit/analyzer-state.ts';
import type { AnalyzerDeps, AnalyzerOptions } from '../model/analyzer-deps.ts';
import { askForMissedBalances } from '../watch/ask-for-missed-balances.ts';
import { readBalancesAgain } from '../watch/read-balances-again.ts';
import { ChainAnalyzer } from './chain-analyzer.ts';
import { createChainParts, type ChainParts } from './chain-parts.ts';
import { discoverAssets } from '../match/discover-assets.ts';
import type { FamilyWatch } from '../watch/family-watch.ts';
import { runReprocess } from '../reprocess/run-reprocess.ts';
import { runPacking } from '../packing/run-packing.ts';
import { runHistories } from '../history/run-histories.ts';
import { runBackfills } from '../backfill/run-backfills.ts';
import { commitCoins } from '../backfill/commit-coins.ts';
import { CoinRound } from '../round/coin-round.ts';
import { runEvidence } from '../evidence/run-evidence.ts';
import { runWitnesses } from '../incidents/run-witnesses.ts';

export interface AnalyseDeps extends AnalyzerDeps {
  readonly relay: EventRelay<'tx-analyzer'>;
  readonly loadFamily: (utxo: UtxoCodec | undefined) => Promise<FamilyWatch>;
  readonly options: Required<AnalyzerOptions>;
  readonly workers: Workers;
  /** Called with the analyzer while it runs, so that others can reach it. */
  readonly onAnalyzer: (analyzer: ChainAnalyzer | undefined) => void;
}

/** Analyses a chain that is ours until the signal aborts. */
export async function analyseChain(deps: AnalyseDeps, work: ShareWork<ActiveChain>): Promise<void> {
  const { share, item: chain } = work;
  const state = { gid: chain.gid, share };
  await beginState(state);
  const stopBeating = startBeating(state, {
    everyMs: deps.options.beatMs,
    findStall: () => describeStall(deps.workers, chain.gid),
  });
  try {
    await openAndAnalyse(deps, work);
  } catch (error) {
    // A chain that cannot even start also reports its state: otherwise it would seem to have no owner.
    if (!(error instanceof ShareLostError))
      await writeStalled(state, describePublicly(error)).catch(() => undefined);
    throw error;
  } finally {
    stopBeating();
  }
}

/** What is wrong beside the feed. */
function describeStall(workers: Workers, gid: string): string | undefined {
  const stall = workers.stalls().find(({ chainGid }) => chainGid === gid);
  return stall && `${stall.worker}: ${stall.reason}`;
}

async function openAndAnalyse(deps: AnalyseDeps, work: ShareWork<ActiveChain>): Promise<void> {
  const { db, logger, openChain, loadFamily, onAnalyzer } = deps;
  const { item: chain, share, signal, reportReach } = work;
  const opened = await openChain(chain);
  try {
    if (await adoptRestoredRows(db))
      logger.warn({}, 'addresses of a database restored from a dump were adopted');
    const family = await loadFamily(opened.utxo);
    if (opened.utxo === undefined) await askForMissedBalances({ sql: db, network: opened.network, signal });
    const now = (): Date => new Date();
    const analyzerDeps = { ...deps, family, reportReach, now };
    const parts = createChainParts(analyzerDeps, { active: chain, opened, share });
    const analyzer = new ChainAnalyzer(analyzerDeps, parts);
    onAnalyzer(analyzer);
    await runBeside(deps, { analyzer, parts, opened, share, signal, family });
  } finally {
    onAnalyzer(undefined);
    opened.client.close();
  }
}

interface Running {
  readonly analyzer: ChainAnalyzer;
  readonly parts: ChainParts;
  readonly opened: OpenedChain;
  readonly share: OwnedShare;
  readonly signal: AbortSignal;
  readonly family: FamilyWatch;
}

/** Runs the analyzer, and beside the feed the loops that find more and hand it to the analyzer. */
async function runBeside(
  { db, bus, logger, options, workers }: AnalyseDeps,
  { analyzer, parts, opened, share, signal: outer, family }: Running,
): Promise<void> {
  const { share: gid } = share.claim;
  const end = new AbortController();
  const signal = AbortSignal.any([outer, end.signal]);
  const stopConsuming = bus.consume(['block.new'], [gid], {
    onMessage: ({ payload, traceparent }) => analyzer.push(payload, traceparent),
    onOpen: analyzer.readFeed,
  });
  const others = startLoops({ db, logger, options, workers }, { parts, opened, share, family, signal });
  try {
    await analyzer.run(signal);
  } finally {
    end.abort();
    await Promise.all([stopConsuming(), ...others]);
    workers.forget({ chainGid: gid });
  }
}

/** The loops beside the feed; each ends with the signal. */
function startLoops(
  {
    db,
    logger,
    workers,
    options: { pollMs, attestWaitMs, coinRoundIntervalMs: intervalMs },
  }: Pick<AnalyseDeps, 'db' | 'logger' | 'options' | 'workers'>,
  { parts, opened, share, family, signal }: Omit<Running, 'analyzer'>,
): readonly Promise<void>[] {
  const { share: gid } = share.claim;
  const { client, utxo, network } = opened;
  const { evidenceDelayMs } = network;
  const { assets, writerQueue, readBlock } = parts;
  const beside = { sql: db, client, logger, signal };
  const own = { ...beside, chainGid: gid, writerQueue, pollMs };
  const isHeadBusy = (): boolean => parts.feed.isBehind || parts.recovery.isActive;
  return [
    discoverAssets({ db, client, chainGid: gid, assets, logger, signal, health: workers.of('assets', gid) }),
    utxo === undefined
      ? runHistories({
          ...beside,
          chain: parts.chain,
          watch: family,
          writerQueue,
          health: workers.of('history', gid),
          readBlock,
          isHeadBusy,
          pollMs,
        })
      : runCoins({ ...own, utxo, parts, intervalMs, isHeadBusy, health: workers.of('backfill', gid) }),
    // Blocks of a chain of unspent outputs cannot be skipped.
    utxo === undefined
      ? readBalancesAgain({ sql: db, network, logger, signal, pollMs, health: workers.of('skips', gid) })
      : Promise.resolve(),
    runWitnesses({
      ...{ ...beside, chain: { gid, share }, writerQueue, pollMs, attestWaitMs },
      health: workers.of('witnesses', gid),
    }),
    evidenceDelayMs === undefined
      ? Promise.resolve()
      : runEvidence({
          ...{ ...beside, chain: { gid }, evidenceDelayMs, readBlock, writerQueue },
          health: workers.of('evidence', gid),
          pollMs: pollMs / 4,
        }),
    runReprocess({
      ...own,
      health: workers.of('reprocess', gid),
      readBody: parts.passedBlockReader(signal),
    }),
    runPacking({ ...own, isHeadBusy, health: workers.of('packing', gid) }),
  ];
}

interface CoinDeps
  extends Omit<Parameters<typeof runBackfills>[0], 'codec' | 'ring' | 'readBlock' | 'commit' | 'whileIdle'> {
  readonly client: OpenedChain['client'];
  readonly utxo: UtxoCodec;
  readonly parts: ChainParts;
  readonly intervalMs: number;
  readonly isHeadBusy: () => boolean;
}

/** Coins from before addresses were watched; the round while no address waits for those, because both need the node's scan. */
function runCoins({ utxo: codec, parts, ...deps }: CoinDeps): Promise<void> {
  const { writerQueue, readBlock, chain } = parts;
  const round = new CoinRound({ ...deps, chain, writerQueue });
  return runBackfills({
    ...{ ...deps, codec, readBlock },
    ring: parts.feed.ring,
    commit: (batch, search) => writerQueue.enqueue(commitCoins(batch, search)),
    whileIdle: (isDue) => round.step(isDue),
  });
}
