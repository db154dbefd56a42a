import type { Bus } from '@chainwatch/bus';
import {
  createDeliveryEngine,
  createDispatcher,
  DEFAULT_DELIVERY_OPTIONS,
  joinMembers,
  type DeliveryDependencies,
  type DeliveryOptions,
  type EventRef,
} from '@chainwatch/deliveries';
import { notOk, ok, probe, type Checks } from '@chainwatch/telemetry';

export interface NotifierDependencies extends DeliveryDependencies {
  readonly bus: Bus<'notifier'>;
  /** Names this replica among those that share the channels. */
  readonly instanceId: string;
  readonly options?: Partial<DeliveryOptions>;
  /** An event that no message brought within that long is found in the database, default 3,000. */
  readonly sweepAfterMs?: number;
  readonly sweepIntervalMs?: number;
  /** Replicas say that they live so often, default 1,000, and count as dead after five times that long. */
  readonly heartbeatMs?: number;
}

export interface Notifier {
  readiness(): Promise<Checks>;
  /** Takes nothing new, finishes attempts under way and stores what came of them. */
  stop(): Promise<void>;
}

const KINDS = ['tx.detected', 'tx.confirmed', 'tx.reorged', 'balance.changed'] as const;
const USUAL_TYPES = {
  'tx.detected': 'transaction.detected',
  'tx.confirmed': 'transaction.confirmed',
  'tx.reorged': 'transaction.reorged',
  'balance.changed': 'balance.changed',
} as const;
/** Events from the bus that wait for the database; what comes beyond is found by the sweep. */
const WAITING_MAX = 5_000;
const SWEEP_MAX = 1_000;

/**
 * Events from the bus, and by sweeping the table, become deliveries. Every replica hears every event and takes the channels
 * that are its own, in the order of the bus; nothing is lost when it does not hear one, because the table knows.
 */
export async function startNotifier(dependencies: NotifierDependencies): Promise<Notifier> {
  const {
    bus,
    db,
    planned,
    logger,
    instanceId,
    sweepAfterMs = 3_000,
    sweepIntervalMs = 1_000,
    heartbeatMs = 1_000,
  } = dependencies;
  const options = completeOptions(dependencies.options ?? {});
  const inbox: EventRef[] = [];
  /** While the share of this replica changes, events wait: what is older goes first. */
  let changing: Promise<void> | undefined;
  let isStopping = false;
  const members = await joinMembers({
    db,
    instanceId,
    heartbeatMs,
    staleMs: 5 * heartbeatMs,
    logger,
    onChange: changeShare,
  });
  const engine = createDeliveryEngine(dependencies, options, members);
  const dispatcher = createDispatcher({ db, planned, engine, logger });

  function dispatch(event: EventRef): void {
    dispatcher
      .dispatch(event)
      .catch((error: unknown) =>
        logger.warn(
          { error: String(error), event_id: event.eventId },
          'an event could not be dispatched, it is found again',
        ),
      );
  }

  function changeShare(): void {
    const previous = changing ?? Promise.resolve();
    const change = previous.then(async () => {
      try {
        await engine.changeShare();
        await dispatcher.catchUp();
      } catch (error) {
        logger.warn({ error: String(error) }, 'what waited could not be taken over, it is found later');
      }
      if (changing === change) changing = undefined;
      for (const event of inbox.splice(0)) dispatch(event);
    });
    changing = change;
  }

  const stopListening = KINDS.map((kind) =>
    bus.subscribe(kind, [], ({ messageId: eventId, tokens: [, projectId] }) => {
      if (
        isStopping ||
        dispatcher.size + inbox.length >= WAITING_MAX ||
        eventId === undefined ||
        projectId === undefined
      )
        return;
      const event = { eventId, projectId, type: USUAL_TYPES[kind] };
      if (changing === undefined) dispatch(event);
      else inbox.push(event);
    }),
  );
  changeShare();
  const stopSweeping = repeat(sweepIntervalMs, async () => {
    try {
      for (let found = SWEEP_MAX; found >= SWEEP_MAX && !isStopping; )
        found = await dispatcher.sweep(sweepAfterMs, SWEEP_MAX);
    } catch (error) {
      logger.warn({ error: String(error) }, 'events could not be swept, they are swept later');
    }
  });
  return {
    async readiness() {
      return {
        postgres: await probe(() => db.query('SELECT 1')),
        nats: bus.isConnected ? ok : notOk('NATS does not answer'),
      };
    },
    async stop() {
      isStopping = true;
      for (const stop of stopListening) stop();
      await changing;
      await stopSweeping();
      await dispatcher.drain();
      await engine.stop();
      await members.stop();
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
