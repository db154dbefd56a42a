// SPDX-License-Identifier: Apache-2.0
import type { Bus } from '@chainwatch/data/bus';
import { isSameChain, type ActiveChain } from '@chainwatch/chain-core';
import { readActiveChains, type Database } from '@chainwatch/data/db';
import { FLOW } from '@chainwatch/events';
import { EventRelay } from '@chainwatch/data/outbox';
import { ShareSupervisor } from '@chainwatch/data/ownership';
import {
  createStallRecorder,
  describeChain,
  gauge,
  notOk,
  ok,
  onScrape,
  probe,
  recordOwned,
  type Checks,
  type Logger,
} from '@chainwatch/platform/telemetry';
import type { BalanceReader } from './read/balance-reader.ts';
import { ChainWorker } from './chain/chain-worker.ts';
import type { RoundOptions } from './round/balance-round.ts';

export interface BalanceServiceDeps {
  readonly db: Database;
  readonly bus: Bus<'balance-service'>;
  readonly logger: Logger;
  /** Rejects with the reason when the chain cannot be read. */
  readonly openReader: (chain: ActiveChain) => Promise<BalanceReader>;
  readonly clock?: () => Date;
  /** Pause between two looks for work when no message wakes it. Default 5,000. */
  readonly idleMs?: number;
  /** Default: no rounds. */
  readonly round?: RoundOptions;
}

/** Readings that nobody asked for are switched off. */
const NO_ROUNDS: RoundOptions = { callsPerSecond: 0, intervalMs: 0 };

export interface BalanceService {
  stop(): Promise<void>;
  readiness(): Promise<Checks>;
}

interface ChainReport {
  /** `standby`: another replica keeps the balances. `unknown`: it could not be found out who does. */
  readonly status: 'following' | 'stalled' | 'standby' | 'unknown';
  readonly reason?: string | undefined;
}

/** Keeps the balances of every active chain and publishes what changed. */
export function startBalanceService(deps: BalanceServiceDeps): BalanceService {
  const { db, bus, logger } = deps;
  /** Workers of the chains that this replica owns. */
  const workers = new Map<string, ChainWorker>();
  const relay = new EventRelay<'balance-service'>({
    db,
    bus,
    logger,
    subjects: FLOW['balance-service'].produces,
    chainGids: () => chains.owned,
  });
  const recordStalls = createStallRecorder();
  const onLook = (): void =>
    recordStalls(
      new Map(reports().map(([gid, { status }]) => [gid, status === 'stalled' || status === 'unknown'])),
    );
  const chains = superviseChains({ ...deps, relay, workers, onLook });
  const reports = (): [gid: string, report: ChainReport][] =>
    [...chains.shares.keys()].map((gid) => [gid, reportOf(chains.stateOf(gid), workers.get(gid))]);
  const recordAges = recordOwned(
    gauge('chainwatch_balance_reading_age_seconds', {
      description: 'Since the oldest reading of a balance, by a request or by a round.',
    }),
  );
  const stopObserving = onScrape(() =>
    recordAges(
      new Map(
        [...workers].flatMap(([gid, { roundAgeSeconds: age }]) => (age === undefined ? [] : [[gid, age]])),
      ),
    ),
  );
  const unsubscribes = [
    bus.subscribe('address.watched', [], () => {
      for (const worker of workers.values()) worker.notify();
    }),
    bus.subscribe('chain.changed', [], () => chains.lookNow()),
  ];
  return {
    async stop() {
      for (const unsubscribe of unsubscribes) unsubscribe();
      stopObserving();
      await chains.stop();
      await relay.stop();
    },
    async readiness() {
      const checks = reports().map(([gid, report]) => [`chain ${gid}`, describeChain(report)] as const);
      return {
        postgres: await probe(() => db.query('SELECT 1')),
        nats: bus.isConnected ? ok : notOk('NATS does not answer'),
        ...Object.fromEntries(checks),
      };
    },
  };
}

interface Supervised extends BalanceServiceDeps {
  readonly relay: EventRelay<'balance-service'>;
  readonly workers: Map<string, ChainWorker>;
  readonly onLook: () => void;
}

/** Owns its part of the active chains and keeps their balances. */
function superviseChains(deps: Supervised): ShareSupervisor<ActiveChain> {
  const { db, logger, workers, onLook, clock = () => new Date(), round = NO_ROUNDS } = deps;
  return new ShareSupervisor<ActiveChain>({
    db,
    kind: 'balances',
    logger,
    listShares: () => readActiveChains(db),
    isSame: isSameChain,
    groupOf: ({ family }) => family,
    work: async ({ share, item: chain, signal, reportReach }) => {
      const worker = new ChainWorker({ ...deps, clock, round, chain, share, signal, reportReach });
      workers.set(chain.gid, worker);
      await worker.run().finally(() => workers.delete(chain.gid));
    },
    onLook,
  });
}

function reportOf(
  state: ReturnType<ShareSupervisor<ActiveChain>['stateOf']>,
  worker: ChainWorker | undefined,
): ChainReport {
  if (state.type === 'standby') return { status: 'standby' };
  if (state.type === 'unknown') return { status: 'unknown', reason: state.reason };
  return worker?.report ?? { status: 'following' };
}
