import { describePublicly, type ActiveChain, type OpenedChain, type UtxoCodec } from '@chainwatch/chain-core';
import { adoptRestoredRows } from '@chainwatch/db';
import type { EventRelay } from '@chainwatch/outbox';
import { ShareLostError, type OwnedShare, type ShareWork } from '@chainwatch/ownership';
import { beginState, startBeating, writeStalled } from '../commit/analyzer-state.ts';
import type { AnalyzerDeps, AnalyzerOptions } from '../model/analyzer-deps.ts';
import { askForMissedBalances } from '../watch/ask-for-missed-balances.ts';
import { ChainAnalyzer } from './chain-analyzer.ts';
import { createChainParts, type ChainParts } from './chain-parts.ts';
import { discoverAssets } from '../match/discover-assets.ts';
import type { FamilyWatch } from '../watch/family-watch.ts';
import { runReprocess } from '../reprocess/run-reprocess.ts';
import { runHistories } from '../history/run-histories.ts';
import { runBackfills } from '../backfill/run-backfills.ts';
import { commitCoins } from '../backfill/commit-coins.ts';
import { runWitnesses } from '../incidents/run-witnesses.ts';

export interface AnalyseDeps extends AnalyzerDeps {
  readonly relay: EventRelay<'tx-analyzer'>;
  readonly loadFamily: (utxo: UtxoCodec | undefined) => Promise<FamilyWatch>;
  readonly options: Required<AnalyzerOptions>;
  /** Called with the analyzer while it runs, so that others can reach it. */
  readonly onAnalyzer: (analyzer: ChainAnalyzer | undefined) => void;
}

/** Analyses a chain that is ours until the signal aborts. */
export async function analyseChain(deps: AnalyseDeps, work: ShareWork<ActiveChain>): Promise<void> {
  const { share, item: chain } = work;
  const state = { gid: chain.gid, share };
  await beginState(state);
  const stopBeating = startBeating(state);
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

async function openAndAnalyse(deps: AnalyseDeps, work: ShareWork<ActiveChain>): Promise<void> {
  const { db, logger, openChain, openBacklog, loadFamily, onAnalyzer } = deps;
  const { item: chain, share, signal, reportReach } = work;
  const opened = await openChain(chain);
  const backlog = openBacklog?.(chain);
  try {
    if (await adoptRestoredRows(db))
      logger.warn({}, 'addresses of a database restored from a dump were adopted');
    const family = await loadFamily(opened.utxo);
    if (opened.utxo === undefined) await askForMissedBalances({ sql: db, network: opened.network, signal });
    const now = (): Date => new Date();
    const analyzerDeps = { ...deps, family, reportReach, now, backlog };
    const parts = createChainParts(analyzerDeps, { active: chain, opened, share });
    const analyzer = new ChainAnalyzer(analyzerDeps, parts);
    onAnalyzer(analyzer);
    await runBeside(deps, { analyzer, parts, opened, share, signal, family });
  } finally {
    onAnalyzer(undefined);
    opened.client.close();
    backlog?.close();
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
  { db, bus, logger, options }: AnalyseDeps,
  { analyzer, parts, opened, share, signal: outer, family }: Running,
): Promise<void> {
  const { share: gid } = share.claim;
  const { client, utxo } = opened;
  const end = new AbortController();
  const signal = AbortSignal.any([outer, end.signal]);
  const { pollMs } = options;
  const { assets, writerQueue, readBlock } = parts;
  const beside = { sql: db, client, logger, signal };
  const unsubscribe = bus.subscribe('block.seen', [gid], ({ payload }) => analyzer.anticipate(payload));
  const stopConsuming = bus.consume(['block.new'], [gid], {
    onMessage: ({ payload, traceparent }) => analyzer.push(payload, traceparent),
    onOpen: analyzer.readFeed,
  });
  const others = [
    discoverAssets({ db, client, chainGid: gid, assets, logger, signal }),
    utxo === undefined
      ? runHistories({
          ...beside,
          chain: parts.chain,
          watch: family,
          writerQueue,
          readBlock: parts.readBacklogBlock,
          isHeadBusy: () => parts.feed.isBehind || parts.recovery.isActive,
          pollMs,
        })
      : runBackfills({
          ...beside,
          readBlock,
          codec: utxo,
          chainGid: gid,
          ring: parts.feed.ring,
          commit: (batch, search) => writerQueue.enqueue(commitCoins(batch, search)),
        }),
    runWitnesses({ ...beside, chain: { gid, share }, writerQueue, pollMs }),
    runReprocess({
      ...beside,
      chainGid: gid,
      writerQueue,
      readBody: parts.passedBlockReader(signal),
      pollMs,
    }),
  ];
  try {
    await analyzer.run(signal);
  } finally {
    end.abort();
    unsubscribe();
    await Promise.all([stopConsuming(), ...others]);
  }
}
