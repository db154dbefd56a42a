// SPDX-License-Identifier: Apache-2.0
import type { Bus } from '@chainwatch/data/bus';
import {
  createDeliveryEngine,
  shareChannels,
  type DeliveryDependencies,
  type DeliveryOptions,
} from '@chainwatch/deliveries';
import { FLOW, streamOf } from '@chainwatch/events';
import type { ShareTiming } from '@chainwatch/data/ownership';
import {
  notOk,
  ok,
  probe,
  type Checks,
  type Workers,
  counter,
  histogram,
  isTracing,
  WAIT_BUCKETS,
  withSpan,
  type ActiveSpan,
  type Logger,
} from '@chainwatch/platform/telemetry';
import type { Attempt } from '@chainwatch/channels';
import { overrideNetworks } from '@chainwatch/chain-registry';
import type { Sql } from '@chainwatch/data/db';
import { startPositioning } from './positions/start-positioning.ts';

export interface NotifierDependencies extends DeliveryDependencies {
  readonly bus: Bus<'notifier'>;
  /** Told of what does nothing but fail. */
  readonly workers: Workers;
  readonly options?: Partial<DeliveryOptions>;
  /** How channels move between replicas. */
  readonly shareTiming?: Partial<ShareTiming>;
}

export interface Notifier {
  readiness(): Promise<Checks>;
  /** Takes nothing new, finishes attempts under way and stores what came of them. */
  stop(): Promise<void>;
}

/**
 * Gives events their positions, and turns them into deliveries. Every replica hears the bus, which is a bell: what there is to
 * do, the table says. Each replica delivers to the channels that it owns.
 */
export function startNotifier(dependencies: NotifierDependencies): Notifier {
  const { bus, db, planned, logger, shareTiming, workers } = dependencies;
  const members = shareChannels({
    db,
    logger,
    timing: shareTiming,
    onGain: () => engine.gain(),
    onLoss: (share) => engine.leave(share),
  });
  const engine = createDeliveryEngine(dependencies, dependencies.options ?? {}, members);
  const stopListening = listen(bus, () => engine.ring());
  const stopPositioning = startPositioning({
    ...{ db, planned, logger },
    health: workers.of('positions'),
    timing: shareTiming,
  });
  return {
    async readiness() {
      return {
        postgres: await probe(() => db.query('SELECT 1')),
        nats: bus.isConnected ? ok : notOk('NATS does not answer'),
        ...workers.checks(),
      };
    },
    async stop() {
      await stopListening();
      // Each share goes to another replica when its own requests are over: no channel waits for the slowest of all.
      await members.stop();
      await engine.stop();
      await stopPositioning();
    },
  };
}

/** Rings for each event on the bus, and when a consumer is opened again. A consumer reads one stream, without payloads. */
function listen(bus: Bus<'notifier'>, ring: () => void): () => Promise<void> {
  const subjects = FLOW.notifier.consumes;
  const stops = [...new Set(subjects.map(streamOf))].map((stream) => {
    const [first, ...others] = subjects.filter((subject) => streamOf(subject) === stream);
    return bus.consume([first!, ...others], [], { onMessage: ring, onOpen: ring, isBell: true });
  });
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}

const attempts = counter('chainwatch_delivery_attempts_total', {
  description: 'Attempts to deliver an event, by outcome.',
});
const durations = histogram('chainwatch_delivery_attempt_seconds', {
  description: 'How long attempts took.',
});
const untilAttempt = histogram('chainwatch_event_attempt_seconds', {
  description: 'From when an event was made until its first attempt began.',
  buckets: WAIT_BUCKETS,
});
const untilDelivered = histogram('chainwatch_event_delivered_seconds', {
  description: 'From when an event was made until its receiver had accepted it.',
  buckets: WAIT_BUCKETS,
});

const expressionErrors = counter('chainwatch_expression_errors_total', {
  description: 'Events that the expression of a channel could not be evaluated for, by this replica.',
});

/** A span for each attempt; metrics of it, and of how long its events were on their way. */
export function observeAttempts(): Required<
  Pick<DeliveryDependencies, 'trace' | 'onAttempt' | 'onExpressionFaults'>
> {
  return {
    onExpressionFaults: (count) => expressionErrors.add(count),
    trace: ({ traceparent, others, eventType, channelId, channelKind }, work) =>
      withSpan(
        'deliver',
        {
          ...{ traceparent, links: others, kind: 'client', isLeaf: true },
          attributes: { event_type: eventType, channel_id: channelId, channel_kind: channelKind },
        },
        async (span) => {
          const attempts = await work(span.traceparent);
          const [first] = attempts;
          if (first !== undefined && isTracing()) describe(span, first);
          return attempts;
        },
      ),
    onAttempt: ({ startedAt, durationMs, errorCode }, jobs) => {
      attempts.add(1, { outcome: errorCode ?? 'delivered' });
      durations.record(durationMs / 1_000);
      for (const { eventAt, isFirst } of jobs) {
        if (eventAt === undefined) continue;
        const waitMs = Math.max(0, startedAt.getTime() - eventAt.getTime());
        if (isFirst) untilAttempt.record(waitMs / 1_000);
        if (errorCode === undefined) untilDelivered.record((waitMs + durationMs) / 1_000);
      }
    },
  };
}

/** The conventions of OpenTelemetry for clients of HTTP and messaging. Of the receiver's URL the host alone: the rest is a secret. */
function describe(span: ActiveSpan, { request, statusCode, errorCode }: Attempt): void {
  const { method, url, subject } = request;
  const { hostname = undefined, port = '' } = URL.canParse(url) ? new URL(url) : {};
  span.setAttributes({
    ...(method === 'POST' && { 'http.request.method': 'POST', 'http.response.status_code': statusCode }),
    ...(method === 'PUB' && {
      ...{ 'messaging.system': 'nats', 'messaging.operation.type': 'send' },
      'messaging.destination.name': subject,
    }),
    'server.address': hostname,
    'server.port': port === '' ? undefined : Number(port),
  });
  if (errorCode !== undefined) span.fail(statusCode === undefined ? errorCode : String(statusCode));
}

/** How often the networks of the operator are read. */
const NETWORKS_INTERVAL_MS = 30_000;

/** Keeps the names of networks that the operator added or changed. Messages to people use them. */
export async function followNetworks(
  db: Sql,
  logger: Pick<Logger, 'warn'>,
  intervalMs = NETWORKS_INTERVAL_MS,
): Promise<{ stop(): void }> {
  const refresh = async (): Promise<void> => {
    try {
      const { rows } = await db.query<{ document: unknown }>('SELECT document FROM networks ORDER BY gid');
      // Faults are reported by the services that read blocks; a network that is left out shows its id.
      overrideNetworks(rows.map(({ document }) => document));
    } catch (error) {
      // The last known ones stay.
      logger.warn({ err: error }, 'failed to read networks');
    }
  };
  await refresh();
  const timer = setInterval(() => void refresh(), intervalMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
