// SPDX-License-Identifier: Apache-2.0
import { createBus, natsOptionsOf } from '@chainwatch/data/bus';
import { findFamily } from '@chainwatch/chain-registry';
import { healthAddressOf } from '@chainwatch/platform/config';
import { createDatabase, waitForSchema } from '@chainwatch/data/db';
import { createDial } from '@chainwatch/outbound';
import { createSealer, parseSecretsKeys } from '@chainwatch/platform/secrets';
import { runService, startTelemetry } from '@chainwatch/platform/telemetry';
import { readConfig } from './config.ts';
import { createReaderOpener } from './read/open-reader.ts';
import { startBalanceService } from './start-balance-service.ts';

await runService({
  name: 'balance-service',
  start: async (logger, signal) => {
    const config = readConfig();
    const telemetry = await startTelemetry({ serviceName: 'balance-service' });
    // Shared by the chains: a session is taken for a statement or a transaction. They are opened when needed.
    const db = createDatabase({
      url: config.DATABASE_URL,
      isPrepared: config.DB_PREPARED,
      applicationName: 'balance-service',
      poolSize: config.DB_POOL_SIZE ?? 24,
      keepsPlans: true,
      logger,
    });
    await waitForSchema({
      db,
      logger,
      health: healthAddressOf(config),
      waitMs: config.SCHEMA_WAIT,
      signal,
    });
    const bus = await createBus('balance-service', {
      ...natsOptionsOf(config),
      signal,
      name: config.INSTANCE_ID,
      logger,
    });
    const service = startBalanceService({
      db,
      bus,
      logger,
      openReader: createReaderOpener({
        db,
        findFamily,
        opener: createSealer(parseSecretsKeys(config.SECRETS_KEYS)),
        dial: createDial({ allow: config.OUTBOUND_ALLOW }),
        endpoints: config.CHAIN_ENDPOINTS,
        timeoutMs: config.NODE_TIMEOUT,
      }),
      round: {
        callsPerSecond: config.BALANCE_ROUND_CALLS_PER_SECOND,
        intervalMs: config.BALANCE_ROUND_INTERVAL,
      },
    });
    return {
      telemetry,
      health: { ...healthAddressOf(config), checks: () => service.readiness() },
      async stop() {
        await service.stop();
        await bus.close();
        await db.close();
      },
    };
  },
});
