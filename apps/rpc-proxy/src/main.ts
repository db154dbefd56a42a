// SPDX-License-Identifier: Apache-2.0
import { createBusInBackground, natsOptionsOf } from '@chainwatch/data/bus';
import { createCache } from '@chainwatch/platform/cache';
import { healthAddressOf } from '@chainwatch/platform/config';
import { createDatabase, waitForSchema } from '@chainwatch/data/db';
import { createDial } from '@chainwatch/outbound';
import { createSealer, parseSecretsKeys } from '@chainwatch/platform/secrets';
import { runService, startTelemetry } from '@chainwatch/platform/telemetry';
import { readConfig } from './config.ts';
import { startRpcProxy } from './start-rpc-proxy.ts';

const NAME = 'rpc-proxy';

await runService({
  name: NAME,
  start: async (logger, signal) => {
    const config = readConfig();
    const telemetry = await startTelemetry({ serviceName: NAME });
    const db = createDatabase({
      url: config.DATABASE_URL,
      isPrepared: config.DB_PREPARED,
      applicationName: NAME,
      poolSize: config.DB_POOL_SIZE ?? 4,
      logger,
    });
    await waitForSchema({
      db,
      logger,
      health: healthAddressOf(config),
      waitMs: config.SCHEMA_WAIT,
      signal,
    });
    const cache = createCache(config.REDIS_URL, { logger, name: NAME, replicas: config.REPLICAS });
    const bus = createBusInBackground(NAME, {
      ...natsOptionsOf(config),
      logger,
    });
    const proxy = await startRpcProxy({
      db,
      bus,
      cache,
      opener: createSealer(parseSecretsKeys(config.SECRETS_KEYS)),
      dial: createDial({ allow: config.OUTBOUND_ALLOW }),
      logger,
      namespaceLabel: config.NAMESPACE_LABEL,
      ...readLimits(config),
      cacheBytes: config.RPC_CACHE ? config.RPC_CACHE_MEMORY * 1_048_576 : 0,
      sharedCacheSeconds: Math.ceil(config.RPC_CACHE_SHARED / 1_000),
      corsOrigins: config.CORS_ORIGINS,
      trustedProxies: config.TRUSTED_PROXIES,
      endpoints: config.CHAIN_ENDPOINTS,
      settings: config.RPC_CHAINS,
      port: config.PORT,
      host: config.HOST,
    });
    return {
      telemetry,
      health: { ...healthAddressOf(config), checks: proxy.readiness },
      drainMs: config.DRAIN_DELAY,
      stop: async () => {
        await proxy.drain(config.DRAIN_DELAY);
        await proxy.stop();
        await Promise.all([bus.close(), cache.close(), db.close()]);
      },
    };
  },
});

function readLimits(config: ReturnType<typeof readConfig>) {
  return {
    limits: {
      perKey: config.RATE_LIMIT_RPC,
      failedPerClient: config.RATE_LIMIT_FAILED_AUTH,
      publicPerClient: config.RATE_LIMIT_PUBLIC,
    },
    bounds: {
      heldBytes: config.RPC_HELD_MEMORY * 1_048_576,
      heldBytesPerKey: config.RPC_HELD_MEMORY_PER_KEY * 1_048_576,
      heldBytesPerConnection: config.RPC_HELD_MEMORY_PER_CONNECTION * 1_048_576,
      callsPerKey: config.RPC_CALLS_PER_KEY,
      socketsPerKey: config.RPC_SOCKETS_PER_KEY,
      connectionsPerClient: config.RPC_CONNECTIONS_PER_CLIENT,
      writeTimeoutMs: config.RPC_WRITE_TIMEOUT,
    },
  };
}
