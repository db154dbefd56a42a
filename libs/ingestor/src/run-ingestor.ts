// SPDX-License-Identifier: Apache-2.0
import { createBus, natsOptionsOf } from '@chainwatch/bus';
import type { ChainFamily, ChainFamilyName } from '@chainwatch/chain-core';
import { loadConfig, healthAddressOf } from '@chainwatch/config';
import { createDatabase, waitForSchema } from '@chainwatch/db';
import { createDial } from '@chainwatch/outbound';
import { createSealer, parseSecretsKeys } from '@chainwatch/secrets';
import { runService, startHealthServer, startTelemetry } from '@chainwatch/telemetry';
import { checkIngestor } from './check-ingestor.ts';
import { ingestorConfig } from './ingestor-config.ts';
import { startIngestor } from './start-ingestor.ts';

/**
 * The process `block-ingestor-<family>`: configuration, adapters, start, stop.
 * @param findFamily undefined where this build has no code for the family
 */
export async function runIngestor(
  familyName: ChainFamilyName,
  findFamily: (name: ChainFamilyName) => Promise<ChainFamily | undefined>,
): Promise<void> {
  const name = `block-ingestor-${familyName}`;
  await runService({
    name,
    start: async (logger, signal) => {
      const config = loadConfig(ingestorConfig);
      const family = await findFamily(familyName);
      const { INSTANCE_ID: owner } = config;
      const telemetry = await startTelemetry({ serviceName: name, instanceId: owner });
      const db = createDatabase({
        url: config.DATABASE_URL,
        isPrepared: config.DB_PREPARED,
        applicationName: name,
        poolSize: config.DB_POOL_SIZE ?? 10,
        keepsPlans: true,
        logger,
      });
      const health = healthAddressOf(config);
      await waitForSchema({ db, logger, health, waitMs: config.SCHEMA_WAIT, signal });
      const bus = await createBus('block-ingestor', {
        ...natsOptionsOf(config),
        signal,
        name: `${name} ${owner}`,
        logger,
      });
      const ingestor = startIngestor({
        familyName,
        family,
        db,
        bus,
        log: logger,
        opener: createSealer(parseSecretsKeys(config.SECRETS_KEYS)),
        dial: createDial({ allow: config.OUTBOUND_ALLOW }),
        endpoints: config.CHAIN_ENDPOINTS,
        timeoutMs: config.NODE_TIMEOUT,
        upgrades: config.UPGRADES_FILE,
        startBlocks: config.START_BLOCK,
      });
      const server = await startHealthServer({
        ...health,
        checks: () => checkIngestor({ db, bus, ingestor }),
        metrics: telemetry.handleMetrics,
      });
      logger.info({ port: server.port }, 'health and metrics were served');
      return {
        async stop() {
          await ingestor.stop();
          await bus.close();
          await db.close();
          await server.stop();
          await telemetry.stop();
        },
      };
    },
  });
}
