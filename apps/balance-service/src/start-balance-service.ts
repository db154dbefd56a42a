import type { Bus } from '@chainwatch/bus';
import { hasSameEndpoints, type ActiveChain } from '@chainwatch/chain-core';
import { readActiveChains, type Database } from '@chainwatch/db';
import { EventRelay } from '@chainwatch/outbox';
import { ShareSupervisor } from '@chainwatch/ownership';
import {
  createStallRecorder,
  describeChain,
  notOk,
  ok,
  probe,
  type Checks,
  type Logger,
} from '@chainwatch/telemetry';
import type { BalanceReader } from './balance-reader.ts';
import { ChainWorker } from './chain-worker.ts';

export interface BalanceServiceDeps {
  readonly db: Database;
  readonly bus: Bus<'balance-service'>;
  readonly logger: Logger;
  /** Rejects with the reason when the chain cannot be read. */
  readonly openReader: (chain: ActiveChain) => Promise<BalanceReader>;
  readonly clock?: () => Date;
  /** Between two looks for work when nobody wakes it. Default 5,000. */
  readonly idleMs?: number;
}

export interface BalanceService {
  stop(): Promise<void>;
  readiness(): Promise<Checks>;
}

interface ChainReport {
  /** `standby`: another replica keeps the balances. `unknown`: nobody could tell who does. */
  readonly status: 'following' | 'stalled' | 'standby' | 'unknown';
  readonly reason?: string | undefined;
}

/** Keeps the balances of every active chain and publishes what changed. */
export function startBalanceService(deps: BalanceServiceDeps): BalanceService {
  const { db, bus, logger, openReader, idleMs, clock = () => new Date() } = deps;
  /** Of the chains that are ours. */
  const workers = new Map<string, ChainWorker>();
  const relay = new EventRelay<'balance-service'>({
    db,
    bus,
    logger,
    subjects: ['balance.changed'],
    chainGids: () => chains.owned,
  });
  const recordStalls = createStallRecorder();
  const chains = new ShareSupervisor<ActiveChain>({
    db,
    kind: 'balances',
    logger,
    listShares: () => readActiveChains(db),
    isSame: hasSameEndpoints,
    groupOf: ({ family }) => family,
    work: async ({ share, item: chain, signal, noteReach }) => {
      const worker = new ChainWorker({
        ...{ db, chain, share, signal, noteReach },
        ...{ openReader, relay, bus, logger, clock, idleMs },
      });
      workers.set(chain.gid, worker);
      await worker.run().finally(() => workers.delete(chain.gid));
    },
    onLook: () =>
      recordStalls(
        new Map(reports().map(([gid, { status }]) => [gid, status === 'stalled' || status === 'unknown'])),
      ),
  });
  const reportOf = (gid: string): ChainReport => {
    const state = chains.stateOf(gid);
    if (state.type === 'standby') return { status: 'standby' };
    if (state.type === 'unknown') return { status: 'unknown', reason: state.reason };
    return workers.get(gid)?.report ?? { status: 'following' };
  };
  const reports = (): [gid: string, report: ChainReport][] =>
    [...chains.shares.keys()].map((gid) => [gid, reportOf(gid)]);

  const unsubscribe = [
    bus.subscribe('address.watched', [], () => {
      for (const worker of workers.values()) worker.wake();
    }),
    bus.subscribe('chain.changed', [], () => chains.lookNow()),
  ];

  return {
    async stop() {
      for (const end of unsubscribe) end();
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
