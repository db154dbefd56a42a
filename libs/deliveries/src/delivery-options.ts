// SPDX-License-Identifier: Apache-2.0
import type { Logger, Workers } from '@chainwatch/platform/telemetry';
import type { Attempt, NamedNetwork, SenderContext } from '@chainwatch/channels';
import type { Database, Sql } from '@chainwatch/data/db';
import type { DeliveryJob } from './delivery-job.ts';
import type { OpenSealed } from './channel-store.ts';
import { DEFAULT_RETRY_SCHEDULE_MS } from './record/decide-outcome.ts';

/** What an attempt carries: the first event's trace, and those of others in the same message. */
export interface TracedAttempt {
  readonly traceparent: string | undefined;
  readonly others: readonly string[];
  readonly eventType: string;
  readonly channelId: string;
  readonly channelKind: string | undefined;
}

export interface DeliveryDependencies extends SenderContext {
  readonly db: Database;
  /**
   * A database that keeps plans (createDatabase's keepsPlans), for the statements that run for every event.
   */
  readonly planned: Sql;
  readonly open: OpenSealed;
  /** Where the API is reached, without a slash at its end: in front of links to proofs and to the dashboard. */
  readonly publicUrl?: string | undefined;
  /** The networks of this service, as messages to people name them. Default: messages show ids. */
  readonly findNetwork?: (chainGid: string) => NamedNetwork | undefined;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Runs an attempt inside a span that continues the event's trace, and gives the traceparent to send. Default: the event's own. */
  readonly trace?: (
    event: TracedAttempt,
    work: (traceparent: string | undefined) => Promise<Attempt[]>,
  ) => Promise<Attempt[]>;
  /** Called with every attempt and what it carried, for metrics. */
  readonly onAttempt?: (
    attempt: Pick<Attempt, 'startedAt' | 'durationMs' | 'errorCode'>,
    jobs: readonly Pick<DeliveryJob, 'eventAt' | 'isFirst'>[],
  ) => void;
  /** Called with how many events expressions could not be evaluated for, for metrics. */
  readonly onExpressionFaults?: (count: number) => void;
  /** Told of what does nothing but fail. */
  readonly workers?: Workers;
  readonly random?: () => number;
  readonly now?: () => number;
}

export interface DeliveryOptions {
  readonly scheduleMs: readonly number[];
  readonly attemptTimeoutMs: number;
  readonly concurrencyPerChannel: number;
  readonly concurrency: number;
  /** Jobs in memory over all channels, and the bytes of their payloads. */
  readonly queue: number;
  readonly queueBytes: number;
  readonly failingAfter: number;
  readonly probeIntervalMs: number;
  /** How often to ask the database for events and due deliveries of which no bell told. */
  readonly pollMs: number;
  /** How long a delivery waits for its proof; then a link goes out. */
  readonly proofTimeoutMs: number;
  /** The greatest age of what is known of a channel when an attempt starts. */
  readonly refreshMs: number;
  /** Options that differ from the defaults of a channel kind, by kind. */
  readonly kinds: Readonly<Record<string, object>>;
}

export const DEFAULT_DELIVERY_OPTIONS: DeliveryOptions = {
  scheduleMs: DEFAULT_RETRY_SCHEDULE_MS,
  attemptTimeoutMs: 10_000,
  concurrencyPerChannel: 8,
  concurrency: 2_048,
  queue: 20_000,
  queueBytes: 128 * 1024 * 1024,
  failingAfter: 5,
  probeIntervalMs: 30_000,
  pollMs: 500,
  proofTimeoutMs: 5_000,
  refreshMs: 1_000,
  kinds: {},
};

/** A shorter schedule also shortens the default intervals. */
export function completeOptions(given: Partial<DeliveryOptions>): DeliveryOptions {
  const options = { ...DEFAULT_DELIVERY_OPTIONS, ...given };
  const waits = options.scheduleMs.filter((ms) => ms > 0);
  return {
    ...options,
    pollMs: given.pollMs ?? Math.max(20, Math.min(options.pollMs, ...waits)),
    probeIntervalMs: given.probeIntervalMs ?? Math.min(options.probeIntervalMs, Math.max(0, ...waits)),
  };
}
