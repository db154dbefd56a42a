import { createBus } from '@chainwatch/bus';
import { createChainOpener } from '@chainwatch/chain-core';
import { findFamily } from '@chainwatch/chain-registry';
import { createDatabase } from '@chainwatch/db';
import { createDial } from '@chainwatch/outbound';
import { createSealer, parseSecretsKeys } from '@chainwatch/secrets';
import { runService, startHealthServer, startTelemetry } from '@chainwatch/telemetry';
import { config } from './config.ts';
import { startAnalyzer } from './start-analyzer.ts';

const name = 'tx-analyzer';

await runService({
  name,
  start: async (logger) => {
    const telemetry = await startTelemetry({ serviceName: name, instanceId: config.INSTANCE_ID });
    const db = createDatabase({ url: config.DATABASE_URL, applicationName: name });
    const bus = await createBus(name, { url: config.NATS_URL, logger });
    const analyzer = startAnalyzer({
      db,
      bus,
      logger,
      owner: config.INSTANCE_ID,
      openChain: createChainOpener({
        findFamily,
        opener: createSealer(parseSecretsKeys(config.SECRETS_KEYS)),
        dial: createDial({ allow: config.OUTBOUND_ALLOW }),
        endpoints: config.CHAIN_ENDPOINTS,
        indexes: config.INDEX_ENDPOINTS,
        timeoutMs: config.NODE_TIMEOUT,
      }),
      options: { prefetchWindow: config.PREFETCH_WINDOW, mempoolPollMs: config.MEMPOOL_POLL, mempoolGraceMs: config.MEMPOOL_GRACE },
    });
    const health = await startHealthServer({ port: config.HEALTH_PORT, checks: analyzer.readiness, metrics: telemetry.handleMetrics });
    return {
      stop: async () => {
        await analyzer.stop();
        await Promise.all([health.stop(), bus.close(), db.close()]);
        await telemetry.stop();
      },
    };
  },
});
