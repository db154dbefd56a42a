import { createBus } from '@chainwatch/bus';
import type { ChainFamily, ChainFamilyName } from '@chainwatch/chain-core';
import { createDatabase } from '@chainwatch/db';
import { createDial } from '@chainwatch/outbound';
import { createSealer, parseSecretsKeys } from '@chainwatch/secrets';
import { runService, startHealthServer, startTelemetry } from '@chainwatch/telemetry';
import { checkIngestor } from './check-ingestor.ts';
import type { IngestorConfig } from './ingestor-config.ts';
import { startIngestor } from './start-ingestor.ts';

export interface IngestorService {
  /** `block-ingestor-evm`. */
  readonly name: string;
  readonly familyName: ChainFamilyName;
  /** Undefined where this build has no code for the family. */
  readonly family: ChainFamily | undefined;
  /** Called first; a wrong variable ends the process with a sentence. */
  readonly readConfig: () => IngestorConfig;
}

/** The process of a block-ingestor: adapters, start, stop. */
export async function runIngestor({ name, familyName, family, readConfig }: IngestorService): Promise<void> {
  await runService({
    name,
    start: async (log) => {
      const config = readConfig();
      const { INSTANCE_ID: owner } = config;
      const telemetry = await startTelemetry({ serviceName: name, instanceId: owner });
      const db = createDatabase({
        url: config.DATABASE_URL,
        isPrepared: config.DB_PREPARED,
        applicationName: name,
        keepsPlans: true,
        logger: log,
      });
      const bus = await createBus('block-ingestor', {
        url: config.NATS_URL,
        replicas: config.NATS_REPLICAS,
        name: `${name} ${owner}`,
        logger: log,
      });
      const ingestor = startIngestor({
        familyName,
        family,
        db,
        bus,
        log,
        opener: createSealer(parseSecretsKeys(config.SECRETS_KEYS)),
        dial: createDial({ allow: config.OUTBOUND_ALLOW }),
        endpoints: config.CHAIN_ENDPOINTS,
        timeoutMs: config.NODE_TIMEOUT,
        startBlocks: config.START_BLOCK,
      });
      const health = await startHealthServer({
        port: config.HEALTH_PORT,
        checks: () => checkIngestor({ db, bus, ingestor }),
        metrics: telemetry.handleMetrics,
      });
      log.info({ port: health.port }, 'health and metrics are served');
      return {
        async stop() {
          await ingestor.stop();
          await bus.close();
          await db.close();
          await health.stop();
          await telemetry.stop();
        },
      };
    },
  });
}
