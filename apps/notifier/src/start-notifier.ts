import type { Bus } from '@chainwatch/bus';
import { createDeliveryEngine, createDispatcher, DEFAULT_DELIVERY_OPTIONS, type DeliveryDependencies, type DeliveryOptions } from '@chainwatch/deliveries';
import { notOk, ok, probe, type Checks } from '@chainwatch/telemetry';

export interface NotifierDependencies extends DeliveryDependencies {
  readonly bus: Bus<'notifier'>;
  readonly options?: Partial<DeliveryOptions>;
  /** An event that no message brought within that long is found in the database, default 3,000. */
  readonly sweepAfterMs?: number;
  readonly sweepIntervalMs?: number;
}

export interface Notifier {
  readiness(): Promise<Checks>;
  /** Takes nothing new, finishes attempts under way and stores what came of them. */
  stop(): Promise<void>;
}

const CONSUMER_CONCURRENCY = 256;
const SWEEP_MAX = 1_000;

/** Events from the bus, and by sweeping the table, become deliveries. */
export async function startNotifier(dependencies: NotifierDependencies): Promise<Notifier> {
  const { bus, db, logger, sweepAfterMs = 3_000, sweepIntervalMs = 1_000 } = dependencies;
  const options = completeOptions(dependencies.options ?? {});
  const engine = createDeliveryEngine(dependencies, options);
  const dispatcher = createDispatcher({ db, engine, logger });
  let isStopping = false;
  const stopConsuming = await bus.consume(
    ['tx.detected', 'tx.confirmed', 'tx.reorged', 'balance.changed'],
    { durable: 'notifier', concurrency: CONSUMER_CONCURRENCY },
    ({ payload }) => dispatcher.dispatch({ eventId: payload.event_id, projectId: payload.project_id }),
  );
  const stopSweeping = repeat(sweepIntervalMs, async () => {
    try {
      for (let found = SWEEP_MAX; found >= SWEEP_MAX && !isStopping; ) found = await dispatcher.sweep(sweepAfterMs, SWEEP_MAX);
    } catch (error) {
      logger.warn({ error: String(error) }, 'events could not be swept, they are swept later');
    }
  });
  return {
    async readiness() {
      return { postgres: await probe(() => db.query('SELECT 1')), nats: bus.isConnected ? ok : notOk('NATS does not answer') };
    },
    async stop() {
      isStopping = true;
      await stopSweeping();
      await stopConsuming();
      await engine.stop();
      await dispatcher.drain();
    },
  };
}

/** A shortened schedule shortens the waits between looks too. */
function completeOptions(given: Partial<DeliveryOptions>): DeliveryOptions {
  const options = { ...DEFAULT_DELIVERY_OPTIONS, ...given };
  const waits = options.scheduleMs.filter((ms) => ms > 0);
  return {
    ...options,
    pollMs: given.pollMs ?? Math.max(20, Math.min(options.pollMs, ...waits)),
    probeIntervalMs: given.probeIntervalMs ?? Math.min(options.probeIntervalMs, Math.max(0, ...waits)),
  };
}

function repeat(intervalMs: number, work: () => Promise<void>): () => Promise<void> {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const schedule = (): void => {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = work().finally(schedule);
    }, intervalMs);
  };
  schedule();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
