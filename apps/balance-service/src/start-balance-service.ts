import { randomUUID } from 'node:crypto';
import type { Bus } from '@chainwatch/bus';
import { hasSameEndpoints, type ActiveChain } from '@chainwatch/chain-core';
import { readActiveChains, type Database } from '@chainwatch/db';
import { EventRelay } from '@chainwatch/outbox';
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
import { ChainWorker, type ChainReport } from './chain-worker.ts';

export interface BalanceServiceDeps {
  readonly db: Database;
  readonly bus: Bus<'balance-service'>;
  readonly logger: Logger;
  /** Rejects with the reason when the chain cannot be read. */
  readonly openReader: (chain: ActiveChain) => Promise<BalanceReader>;
  readonly clock?: () => Date;
  /** Between two looks for work when nobody wakes it. Default 1,000. */
  readonly idleMs?: number;
}

export interface BalanceService {
  stop(): Promise<void>;
  readiness(): Promise<Checks>;
}

interface Seat {
  readonly chain: ActiveChain;
  readonly worker: ChainWorker;
}

const READ_CHAINS_MS = 1_000;
const TX_KINDS = ['tx.detected', 'tx.confirmed', 'tx.reorged'] as const;

/** Keeps the balances of every active chain and publishes what changed. */
export async function startBalanceService(deps: BalanceServiceDeps): Promise<BalanceService> {
  const { db, bus, logger } = deps;
  const seats = new Map<string, Seat>();
  const owner = randomUUID();
  const owned = (): string[] =>
    [...seats.values()].filter(({ worker }) => worker.isOwner).map(({ worker }) => worker.chainGid);
  const relay = new EventRelay<'balance-service'>({
    db,
    bus,
    logger,
    subjects: ['balance.changed'],
    chainGids: owned,
  });

  const enter = (chain: ActiveChain): void => {
    const { openReader, idleMs, clock = () => new Date() } = deps;
    seats.set(chain.gid, {
      chain,
      worker: new ChainWorker({
        db,
        chain,
        owner,
        openReader,
        publish: relay.publish.bind(relay),
        logger,
        clock,
        idleMs,
      }),
    });
  };
  const reconcile = async (): Promise<void> => {
    const active = await readActiveChains(db);
    const isLeaving = (chain: ActiveChain, now = active.get(chain.gid)): boolean =>
      now === undefined || !hasSameEndpoints(chain, now);
    const leaving = [...seats].filter(([, { chain }]) => isLeaving(chain));
    for (const [gid] of leaving) seats.delete(gid);
    await Promise.all(leaving.map(([, { worker }]) => worker.stop()));
    for (const chain of active.values()) if (!seats.has(chain.gid)) enter(chain);
  };
  const reports = (): [gid: string, report: ChainReport][] =>
    [...seats].map(([gid, { worker }]) => [gid, worker.report]);
  const recordStalls = createStallRecorder();
  const look = async (): Promise<void> => {
    await reconcile().finally(() =>
      recordStalls(
        new Map(reports().map(([gid, { status }]) => [gid, status === 'stalled' || status === 'unknown'])),
      ),
    );
  };
  const loop = repeat(READ_CHAINS_MS, look, (error) =>
    logger.warn({ err: error }, 'the chains could not be read'),
  );

  const unsubscribe = [
    // Hints only: the work itself stands in balance_reads, so that nothing depends on a message.
    ...TX_KINDS.map((kind) =>
      bus.subscribe(kind, [], ({ tokens }) => seats.get(tokens[0] ?? '')?.worker.wake()),
    ),
    bus.subscribe('address.watched', [], () => {
      for (const { worker } of seats.values()) worker.wake();
    }),
    bus.subscribe('chain.changed', [], () => loop.now()),
  ];

  return {
    async stop() {
      for (const end of unsubscribe) end();
      await loop.stop();
      await Promise.all([...seats.values()].map(({ worker }) => worker.stop()));
      await relay.stop();
    },
    async readiness() {
      const chains = reports().map(([gid, report]) => [`chain ${gid}`, describeChain(report)] as const);
      return {
        postgres: await probe(() => db.query('SELECT 1')),
        nats: bus.isConnected ? ok : notOk('NATS does not answer'),
        ...Object.fromEntries(chains),
      };
    },
  };
}

/** Runs `work` now, every `everyMs`, and when told to; one run at a time. */
function repeat(
  everyMs: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): { now(): void; stop(): Promise<void> } {
  let isStopped = false;
  let isDue = false;
  let wake: () => void = () => undefined;
  const done = (async () => {
    while (!isStopped) {
      isDue = false;
      await work().catch(onError);
      if (!isStopped && !isDue)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, everyMs);
          wake = () => (clearTimeout(timer), resolve());
        });
    }
  })();
  return {
    now: () => {
      isDue = true;
      wake();
    },
    stop: async () => {
      isStopped = true;
      wake();
      await done;
    },
  };
}
