// SPDX-License-Identifier: Apache-2.0
import { createBus, natsOptionsOf } from '@chainwatch/data/bus';
import { CHANNEL_SECRETS, channelOptionsOf } from '@chainwatch/channels';
import { findNetwork } from '@chainwatch/chain-registry';
import { healthAddressOf } from '@chainwatch/platform/config';
import { createDatabase, waitForSchema } from '@chainwatch/data/db';
import type { DeliveryOptions } from '@chainwatch/deliveries';
import { createDial, createHttpClient } from '@chainwatch/outbound';
import { createSealer, parseSecretsKeys } from '@chainwatch/platform/secrets';
import { runService, startTelemetry, Workers } from '@chainwatch/platform/telemetry';
import { startBacklogWatch } from './backlogs/start-backlog-watch.ts';
import { readConfig } from './config.ts';
import { followNetworks, observeAttempts, startNotifier } from './start-notifier.ts';
import { DEFAULT_RETENTION, startRetention, type Retention } from './retention/start-retention.ts';

await runService({
  name: 'notifier',
  hides: CHANNEL_SECRETS,
  start: async (logger, signal) => {
    const config = readConfig();
    const telemetry = await startTelemetry({ serviceName: 'notifier' });
    const server = {
      url: config.DATABASE_URL,
      isPrepared: config.DB_PREPARED,
      applicationName: 'notifier',
      logger,
    };
    // Two thirds claim and record deliveries.
    const poolSize = config.DB_POOL_SIZE ?? 24;
    const planned = createDatabase({ ...server, poolSize: Math.round((poolSize * 2) / 3), keepsPlans: true });
    const db = createDatabase({ ...server, poolSize: Math.floor(poolSize / 3) });
    await waitForSchema({
      db,
      logger,
      health: healthAddressOf(config),
      waitMs: config.SCHEMA_WAIT,
      signal,
    });
    const bus = await createBus('notifier', { ...natsOptionsOf(config), signal, logger });
    const sealer = createSealer(parseSecretsKeys(config.SECRETS_KEYS));
    const dial = createDial({ allow: config.OUTBOUND_ALLOW, own: [config.DATABASE_URL, config.NATS_URL] });
    const http = createHttpClient({ dial, connectTimeoutMs: config.WEBHOOK_TIMEOUT });
    const networks = await followNetworks(db, logger);
    const workers = new Workers();
    const notifier = startNotifier({
      ...{ workers, db, planned, bus, http, dial, logger },
      open: sealer.open,
      userAgent: 'chainwatch-webhook/1',
      publicUrl: config.PUBLIC_URL?.replace(/\/+$/, ''),
      findNetwork,
      ...observeAttempts(),
      options: readOptions(config),
    });
    const stopRetention = startRetention({
      ...{ db, logger, retention: readRetention(config) },
      health: { days: workers.of('retention days'), rows: workers.of('retention') },
    });
    const stopBacklogWatch = startBacklogWatch({ db, planned, logger, health: workers.of('backlogs') });
    return {
      telemetry,
      health: { ...healthAddressOf(config), checks: notifier.readiness },
      async stop() {
        networks.stop();
        await notifier.stop();
        await stopRetention();
        await stopBacklogWatch();
        workers.stop();
        await bus.close();
        http.close();
        await Promise.all([planned.close(), db.close()]);
      },
    };
  },
});

function readRetention(config: ReturnType<typeof readConfig>): Retention {
  return {
    events: config.RETENTION_EVENTS,
    deliveries: config.RETENTION_DELIVERIES,
    audit: config.RETENTION_AUDIT,
    activity: DEFAULT_RETENTION.activity,
  };
}

function readOptions(config: ReturnType<typeof readConfig>): Partial<DeliveryOptions> {
  return {
    scheduleMs: config.WEBHOOK_RETRY_SCHEDULE,
    attemptTimeoutMs: config.WEBHOOK_TIMEOUT,
    concurrencyPerChannel: config.WEBHOOK_CONCURRENCY_PER_CHANNEL,
    concurrency: config.WEBHOOK_CONCURRENCY,
    kinds: channelOptionsOf(config),
    ...(config.WEBHOOK_PROBE_INTERVAL === undefined
      ? {}
      : { probeIntervalMs: config.WEBHOOK_PROBE_INTERVAL }),
  };
}
