import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from '@chainwatch/bus';
import {
  createDeliveryEngine,
  shareChannels,
  type DeliveryDependencies,
  type DeliveryOptions,
  type Dispatcher,
} from '@chainwatch/deliveries';
import type { ShareTiming } from '@chainwatch/ownership';
import { notOk, ok, probe, type Checks, type WorkerHealth, type Workers } from '@chainwatch/telemetry';
import { consumeEvents, EventIntake } from './event-intake.ts';
import { EventOrder } from './event-order.ts';
import { startPositioning } from './positions/start-positioning.ts';

export interface NotifierDependencies extends DeliveryDependencies {
  readonly bus: Bus<'notifier'>;
  /** Told of what does nothing but fail. */
  readonly workers: Workers;
  readonly options?: Partial<DeliveryOptions>;
  /** The sweep looks for events that no message has brought for this long, default 3,000. */
  readonly sweepAfterMs?: number;
  readonly sweepIntervalMs?: number;
  /** How channels move between replicas. */
  readonly shareTiming?: Partial<ShareTiming>;
}

export interface Notifier {
  readiness(): Promise<Checks>;
  /** Takes nothing new, finishes attempts under way and stores what came of them. */
  stop(): Promise<void>;
}

const SWEEP_MAX = 1_000;

/**
 * Gives events their positions, and turns them, from the bus and from sweeps of the table, into deliveries. Every replica hears every event,
 * in the order of the bus, and delivers to the channels that it owns. An event that it does not hear is not
 * lost, because the table has it.
 */
export function startNotifier(dependencies: NotifierDependencies): Notifier {
  const { bus, db, planned, logger, shareTiming, workers } = dependencies;
  const members = shareChannels({
    db,
    logger,
    timing: shareTiming,
    onGain: () => void intake.changeShare(),
    onLoss: (share) => intake.leaveShare(share),
  });
  const engine = createDeliveryEngine(dependencies, dependencies.options ?? {}, members);
  const intake = new EventIntake({ engine, order: new EventOrder(), logger, health: workers.of('intake') });
  const stopConsuming = consumeEvents(bus, intake);
  const stopPositioning = startPositioning({
    ...{ db, planned, logger },
    health: workers.of('positions'),
    timing: shareTiming,
  });
  const stopping = new AbortController();
  const sweeping = sweepOverAndOver(
    engine.dispatcher,
    { ...dependencies, health: workers.of('sweep') },
    stopping.signal,
  );
  return {
    async readiness() {
      return {
        postgres: await probe(() => db.query('SELECT 1')),
        nats: bus.isConnected ? ok : notOk('NATS does not answer'),
        ...workers.checks(),
      };
    },
    async stop() {
      stopping.abort();
      await stopConsuming();
      await intake.stop();
      await sweeping;
      await engine.stop();
      await members.stop();
      await stopPositioning();
    },
  };
}

/** Sweeps the table for events that no message brought, until the signal is aborted. */
async function sweepOverAndOver(
  dispatcher: Pick<Dispatcher, 'sweep'>,
  {
    logger,
    health,
    sweepAfterMs = 3_000,
    sweepIntervalMs = 1_000,
  }: NotifierDependencies & { readonly health: WorkerHealth },
  signal: AbortSignal,
): Promise<void> {
  while (await delay(sweepIntervalMs, true, { signal }).catch(() => false)) {
    try {
      for (let found = SWEEP_MAX; found >= SWEEP_MAX && !signal.aborted; )
        found = await dispatcher.sweep(sweepAfterMs, SWEEP_MAX);
      health.succeed();
    } catch (err) {
      health.fail('events could not be swept');
      logger.warn({ err }, 'events could not be swept');
    }
  }
}
