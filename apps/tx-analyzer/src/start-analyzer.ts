import { createStallRecorder, describeChain, notOk, ok, probe, type Checks } from '@chainwatch/telemetry';
import {
  hasSameEndpoints,
  type ActiveChain,
  type ChainFamilyName,
  type UtxoCodec,
  Wake,
} from '@chainwatch/chain-core';
import { readActiveChains } from '@chainwatch/db';
import { EventRelay } from '@chainwatch/outbox';
import type { AnalyzerDeps, AnalyzerOptions } from './analyzer-deps.ts';
import type { ChainReport } from './chain-report.ts';
import { ChainSeat } from './chain-seat.ts';
import { FamilyWatch } from './family-watch.ts';

export interface Analyzer {
  /** Finishes the steps under way, brings what they made to the bus, frees the leases. */
  stop(): Promise<void>;
  /** The database and the bus answer; how the chains of this replica do stands beside. */
  readiness(): Promise<Checks>;
  /** Every active chain, as this replica sees it. */
  reports(): readonly ChainReport[];
}

const DEFAULTS: Required<AnalyzerOptions> = {
  prefetchWindow: 64,
  groupBlocksMax: 100,
  groupTransactionsMax: 20_000,
  pollMs: 1_000,
  metadataTimeoutMs: 2_000,
  mempoolPollMs: 1_000,
  mempoolGraceMs: 60_000,
  unknownWaitMs: 300_000,
};

/** Analyses every active chain that no other replica analyses. */
export function startAnalyzer(deps: AnalyzerDeps): Analyzer {
  const { db, bus, logger } = deps;
  const options = { ...DEFAULTS, ...deps.options };
  const seats = new Map<string, { readonly chain: ActiveChain; readonly seat: ChainSeat }>();
  const leaving = new Set<Promise<void>>();
  const relay = new EventRelay<'tx-analyzer'>({
    db,
    bus,
    logger,
    subjects: ['tx.detected', 'tx.confirmed', 'tx.reorged'],
    chainGids: () => [...seats].filter(([, { seat }]) => seat.isOwner).map(([gid]) => gid),
  });
  const loadFamily = shareFamilies(deps);
  const recordStalls = createStallRecorder();
  const wake = new Wake();
  let isStopping = false;

  const leave = (gid: string, seat: ChainSeat): void => {
    seats.delete(gid);
    const left: Promise<void> = seat.stop().finally(() => leaving.delete(left));
    leaving.add(left);
  };
  const reconcile = async (): Promise<void> => {
    const active = await readActiveChains(db);
    for (const [gid, { chain, seat }] of seats) {
      const now = active.get(gid);
      if (now === undefined || !hasSameEndpoints(now, chain)) leave(gid, seat);
    }
    for (const [gid, chain] of active) {
      if (!seats.has(gid))
        seats.set(gid, {
          chain,
          seat: new ChainSeat(
            { ...deps, options, relay, loadFamily: (utxo) => loadFamily(chain.family, utxo) },
            chain,
          ),
        });
    }
  };
  const reports = (): ChainReport[] => [...seats.values()].map(({ seat }) => seat.report);
  const supervise = async (): Promise<void> => {
    while (!isStopping) {
      await reconcile().catch((error: unknown) =>
        logger.warn({ error: String(error) }, 'the active chains could not be read'),
      );
      recordStalls(
        new Map(
          reports().map(({ chainGid, status }) => [chainGid, status === 'stalled' || status === 'unknown']),
        ),
      );
      await wake.wait(options.pollMs);
    }
  };
  const supervising = supervise();
  const unsubscribes = [
    bus.subscribe('chain.changed', [], () => wake.notify()),
    bus.subscribe('address.watched', [], ({ tokens }) => {
      for (const { chain, seat } of seats.values()) if (chain.family === tokens[0]) seat.notify();
    }),
  ];

  return {
    reports,
    async readiness() {
      const chains = reports().map(
        ({ chainGid, status, reason, cursorNumber }) =>
          [`chain ${chainGid}`, describeChain({ status, reason, head_number: cursorNumber })] as const,
      );
      return {
        postgres: await probe(() => db.query('SELECT 1')),
        nats: bus.isConnected ? ok : notOk('NATS does not answer'),
        ...Object.fromEntries(chains),
      };
    },
    async stop() {
      isStopping = true;
      wake.notify();
      for (const unsubscribe of unsubscribes) unsubscribe();
      await supervising;
      await Promise.all([...leaving, ...[...seats.values()].map(({ seat }) => seat.stop())]);
      await relay.stop();
    },
  };
}

/** One watch set per family, loaded by the first chain that needs it. */
function shareFamilies({
  db,
  logger,
}: AnalyzerDeps): (family: ChainFamilyName, utxo: UtxoCodec | undefined) => Promise<FamilyWatch> {
  const families = new Map<ChainFamilyName, Promise<FamilyWatch>>();
  return (name, utxo) => {
    const known = families.get(name);
    if (known !== undefined) return known;
    const loading = FamilyWatch.load(db, name, utxo);
    families.set(name, loading);
    loading.then(
      (family) => logger.info({ family: name, addresses: family.size }, 'the watch set was loaded'),
      () => families.delete(name),
    );
    return loading;
  };
}
