// SPDX-License-Identifier: Apache-2.0
import {
  createStallRecorder,
  describeChain,
  notOk,
  ok,
  probe,
  Workers,
  type Checks,
  gauge,
  onScrape,
  recordOwned,
} from '@chainwatch/platform/telemetry';
import { isSameChain, type ActiveChain, type ChainFamilyName, type UtxoCodec } from '@chainwatch/chain-core';
import { overrideNetworks } from '@chainwatch/chain-registry';
import { readActiveChains } from '@chainwatch/data/db';
import { FLOW } from '@chainwatch/events';
import { EventRelay } from '@chainwatch/data/outbox';
import { ShareSupervisor } from '@chainwatch/data/ownership';
import { analyseChain } from './chain/analyse-chain.ts';
import type { AnalyzerDeps, AnalyzerOptions } from './model/analyzer-deps.ts';
import type { ChainAnalyzer } from './chain/chain-analyzer.ts';
import type { ChainReport } from './chain/chain-report.ts';
import { forgetLag } from './chain/record-step.ts';
import { forgetPending } from './mempool/record-pending.ts';
import { FamilyWatch } from './watch/family-watch.ts';

export interface Analyzer {
  /** Finishes the steps in progress, publishes their events, releases the chains. */
  stop(): Promise<void>;
  /** Whether the database and the bus answer; also shows the state of this replica's chains. */
  readiness(): Promise<Checks>;
  /** Every active chain, as this replica sees it. */
  reports(): readonly ChainReport[];
}

const DEFAULTS: Required<AnalyzerOptions> = {
  prefetchWindow: 64,
  groupBlocksMax: 100,
  groupTransactionsMax: 20_000,
  pollMs: 1_000,
  sweepMs: 3_000,
  metadataTimeoutMs: 2_000,
  mempoolPollMs: 1_000,
  mempoolGraceMs: 60_000,
  unknownWaitMs: 300_000,
  attestWaitMs: 10_000,
  coinRoundIntervalMs: 0,
  beatMs: 10_000,
  stalledAfterMs: 15_000,
};

/** Analyses its part of the active chains. */
export function startAnalyzer(deps: AnalyzerDeps): Analyzer {
  const { db, bus, logger } = deps;
  /** Analyzers of the chains that this replica owns. */
  const analyzers = new Map<string, ChainAnalyzer>();
  const families = new Set<FamilyWatch>();
  const relay = new EventRelay<'tx-analyzer'>({
    db,
    bus,
    logger,
    subjects: FLOW['tx-analyzer'].produces,
    chainGids: () => [...analyzers.keys()],
  });
  const workers = new Workers({ stalledAfterMs: deps.options?.stalledAfterMs });
  const recordStalls = createStallRecorder();
  const onLook = (): void =>
    recordStalls(
      new Map(
        reports().map(({ chainGid, status }) => [chainGid, status === 'stalled' || status === 'unknown']),
      ),
    );
  const chains = superviseChains({ ...deps, relay, analyzers, families, workers, onLook });
  const reports = (): ChainReport[] =>
    [...chains.shares.keys()].map((gid) => reportOf(gid, chains.stateOf(gid), analyzers.get(gid)));
  const unsubscribes = [
    observeAnalyzer({
      reports: () => [...analyzers.values()].map(({ report }) => report),
      families: () => families,
    }),
    bus.subscribe('chain.changed', [], () => chains.lookNow()),
    bus.subscribe('address.watched', [], ({ tokens }) => {
      for (const [gid, analyzer] of analyzers)
        if (chains.shares.get(gid)?.family === tokens[0]) analyzer.notify();
    }),
  ];
  return {
    reports,
    readiness: () => checkReadiness(deps, reports(), workers),
    async stop() {
      for (const unsubscribe of unsubscribes) unsubscribe();
      await chains.stop();
      await relay.stop();
      workers.stop();
    },
  };
}

interface Supervised extends AnalyzerDeps {
  readonly relay: EventRelay<'tx-analyzer'>;
  readonly analyzers: Map<string, ChainAnalyzer>;
  /** Watch sets that are loaded. */
  readonly families: Set<FamilyWatch>;
  readonly workers: Workers;
  readonly onLook: () => void;
}

/** Owns its part of the active chains and analyses them. */
function superviseChains(deps: Supervised): ShareSupervisor<ActiveChain> {
  const { db, logger, analyzers, onLook, findUtxo } = deps;
  const options = { ...DEFAULTS, ...deps.options };
  const loadFamily = shareFamilies(deps);
  return new ShareSupervisor<ActiveChain>({
    db,
    kind: 'analyzer',
    logger,
    listShares: async () => {
      await followNetworks(deps);
      return readActiveChains(db);
    },
    isSame: isSameChain,
    groupOf: ({ family }) => family,
    prepare: async (_, chain) => loadFamily(chain.family, await findUtxo(chain)),
    work: (work) => {
      const { gid, family } = work.item;
      const onAnalyzer = (analyzer: ChainAnalyzer | undefined): void => {
        if (analyzer !== undefined) return void analyzers.set(gid, analyzer);
        analyzers.delete(gid);
        forgetLag(gid);
        forgetPending(gid);
      };
      return analyseChain(
        { ...deps, options, loadFamily: (utxo) => loadFamily(family, utxo), onAnalyzer },
        work,
      );
    },
    onLook,
    timing: { lookMs: options.pollMs },
  });
}

function reportOf(
  chainGid: string,
  state: ReturnType<ShareSupervisor<ActiveChain>['stateOf']>,
  analyzer: ChainAnalyzer | undefined,
): ChainReport {
  if (state.type === 'owned') return analyzer?.report ?? { chainGid, lagBlocks: 0, status: 'catching_up' };
  if (state.type === 'standby') return { chainGid, lagBlocks: 0, status: 'standby' };
  return { chainGid, lagBlocks: 0, status: 'unknown', reason: state.reason };
}

async function checkReadiness(
  { db, bus }: AnalyzerDeps,
  reports: readonly ChainReport[],
  workers: Workers,
): Promise<Checks> {
  const checks = reports.map(
    ({ chainGid, status, reason, cursorNumber }) =>
      [`chain ${chainGid}`, describeChain({ status, reason, head_number: cursorNumber })] as const,
  );
  return {
    postgres: await probe(() => db.query('SELECT 1')),
    nats: bus.isConnected ? ok : notOk('NATS does not answer'),
    ...Object.fromEntries(checks),
    ...workers.checks(),
  };
}

/** One watch set per family, loaded by the first chain that needs it. */
function shareFamilies({
  db,
  logger,
  families: loaded,
}: Supervised): (family: ChainFamilyName, utxo: UtxoCodec | undefined) => Promise<FamilyWatch> {
  const families = new Map<ChainFamilyName, Promise<FamilyWatch>>();
  return (name, utxo) => {
    const known = families.get(name);
    if (known !== undefined) return known;
    const loading = FamilyWatch.load(db, name, utxo);
    families.set(name, loading);
    loading.then(
      (family) => {
        loaded.add(family);
        logger.info({ family: name, addresses: family.size }, 'watch set was loaded');
      },
      () => families.delete(name),
    );
    return loading;
  };
}

/** Addresses are read by the networks that the database has, those without a chain too. */
async function followNetworks({ db, families }: Pick<Supervised, 'db' | 'families'>): Promise<void> {
  const { rows } = await db.query<{ document: unknown }>('SELECT document FROM networks ORDER BY gid');
  overrideNetworks(rows.map(({ document }) => document));
  for (const family of families) family.readAgain();
}

const watched = gauge('chainwatch_watched_addresses', {
  description: 'Addresses in the watch set of this process, by family.',
});

interface Observed {
  /** The chains that this replica owns now. */
  readonly reports: () => readonly ChainReport[];
  readonly families: () => Iterable<FamilyWatch>;
}

/** Tells at each scrape how old the oldest block is that waits for analysis, and how many addresses are watched. Returns stop. */
function observeAnalyzer({ reports, families }: Observed): () => void {
  const recordAges = recordOwned(
    gauge('chainwatch_analyzer_lag_seconds', {
      description: 'Since the ingestor recorded the oldest block that is not analysed; 0: none waits.',
    }),
  );
  return onScrape(() => {
    const ageOf = (sinceMs = Date.now()): number => Math.max(0, Date.now() - sinceMs) / 1_000;
    recordAges(new Map(reports().map(({ chainGid, waitingSinceMs }) => [chainGid, ageOf(waitingSinceMs)])));
    for (const { family, size } of families()) watched.set(size, { family });
  });
}
