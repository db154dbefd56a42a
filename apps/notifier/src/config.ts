// SPDX-License-Identifier: Apache-2.0
import { channelEnvironment } from '@chainwatch/channels';
import {
  commaList,
  DATABASE_VARIABLES,
  durationMs,
  integer,
  loadConfig,
  NATS_VARIABLES,
  serviceConfig,
  url,
} from '@chainwatch/platform/config';
import { DEFAULT_DELIVERY_OPTIONS, DEFAULT_RETRY_SCHEDULE_MS } from '@chainwatch/deliveries';
import { DEFAULT_RETENTION, RETENTION_MIN_MS } from './retention/start-retention.ts';

const retention = (defaultMs: number) =>
  durationMs()
    .refine((ms) => ms >= RETENTION_MIN_MS, 'expected at least 15d: events are held for 14 days')
    .default(defaultMs);

/** Every environment variable of the notifier. */
export const readConfig = (env: NodeJS.ProcessEnv = process.env) =>
  loadConfig(
    serviceConfig
      .pick({
        ...DATABASE_VARIABLES,
        ...NATS_VARIABLES,
        HEALTH_PORT: true,
        HOST: true,
        LOG_LEVEL: true,
        INSTANCE_ID: true,
        SECRETS_KEYS: true,
        OUTBOUND_ALLOW: true,
      })
      .extend({
        /** Delay of each attempt after the one before, commas between: `0,5s,30s,2m,…`. As many attempts as entries. */
        WEBHOOK_RETRY_SCHEDULE: commaList()
          .transform((entries) => entries.map((entry) => durationMs().parse(entry)))
          .refine((entries) => entries.length > 0 && entries.length <= 100, 'expected 1 to 100 durations')
          .default([...DEFAULT_RETRY_SCHEDULE_MS]),
        /** Time-out of one whole attempt. */
        WEBHOOK_TIMEOUT: durationMs().default(DEFAULT_DELIVERY_OPTIONS.attemptTimeoutMs),
        /** Concurrent requests, for one channel and over all channels. */
        WEBHOOK_CONCURRENCY_PER_CHANNEL: integer(1, 1_000).default(
          DEFAULT_DELIVERY_OPTIONS.concurrencyPerChannel,
        ),
        WEBHOOK_CONCURRENCY: integer(1, 100_000).default(DEFAULT_DELIVERY_OPTIONS.concurrency),
        /** Between probes of a failing channel; default 30 s, less where the schedule is shorter. */
        WEBHOOK_PROBE_INTERVAL: durationMs().optional(),
        /** How long what only ages is kept, at least 15 days; transactions and balances are kept for ever. */
        RETENTION_EVENTS: retention(DEFAULT_RETENTION.events),
        RETENTION_DELIVERIES: retention(DEFAULT_RETENTION.deliveries),
        RETENTION_AUDIT: retention(DEFAULT_RETENTION.audit),
        /** Where the API is reached: in front of links to proofs and to the dashboard, and in mails. */
        PUBLIC_URL: url('http', 'https').optional(),
        ...channelEnvironment,
      }),
    env,
  );
