// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url';
import { createBusInBackground, natsOptionsOf } from '@chainwatch/data/bus';
import { createCache } from '@chainwatch/platform/cache';
import type { Dial } from '@chainwatch/chain-core';
import { createUpgradeBook } from '@chainwatch/chain-registry';
import { CHANNEL_SECRETS, channelOptionsOf } from '@chainwatch/channels';
import { healthAddressOf } from '@chainwatch/platform/config';
import { createDatabase, waitForSchema } from '@chainwatch/data/db';
import { createPrisma } from '@chainwatch/data/prisma';
import { createDial } from '@chainwatch/outbound';
import { createSealer, parseSecretsKeys } from '@chainwatch/platform/secrets';
import { runService, startTelemetry, type Logger } from '@chainwatch/platform/telemetry';
import packageJson from '../package.json' with { type: 'json' };
import { applyNetworksFile } from './networks/apply-networks-file.ts';
import { BulkThreads } from './bulk/bulk-threads.ts';
import type { ApiSettings } from './api-deps.ts';
import { oidcOf, readConfig } from './config.ts';
import { openStandby } from './reads/open-standby.ts';
import { findRequestOwner } from './server/request-owner.ts';
import { startApiGateway, type ApiGatewayOptions } from './start-api-gateway.ts';
import { createStatementSigner } from './statements/signing-key.ts';

const NAME = 'api-gateway';
/** Longer than the server lets a statement of SQL for one address take. */
const STATEMENT_READ_MS = 660_000;

await runService({
  name: NAME,
  hides: CHANNEL_SECRETS,
  start: async (logger, signal) => {
    const config = readConfig();
    const telemetry = await startTelemetry({ serviceName: NAME });
    const sessions = readSessions(config);
    const db = createDatabase({
      ...sessions.raw,
      url: config.DATABASE_URL,
      isPrepared: config.DB_PREPARED,
      logger,
    });
    await waitForSchema({
      db,
      logger,
      health: healthAddressOf(config),
      waitMs: config.SCHEMA_WAIT,
      signal,
    });
    await applyNetworksFile(db, config.NETWORKS_FILE);
    const standby = openReads(config, logger);
    const prisma = createPrisma(config.DATABASE_URL, sessions.prisma);
    const cache = createCache(config.REDIS_URL, { logger, name: NAME, replicas: config.REPLICAS });
    const bus = createBusInBackground(NAME, { ...natsOptionsOf(config), logger });
    const bulk = createBulkThreads(config);
    const gateway = await startApiGateway({
      deps: {
        db,
        prisma,
        bulk,
        sealer: createSealer(parseSecretsKeys(config.SECRETS_KEYS)),
        dial: openDial(config),
        logger,
        settings: readSettings(config),
      },
      bus,
      cache,
      standby,
      ...readAppOptions(config, logger),
      // Beside the bundle.
      dashboardFolder: fileURLToPath(new URL('./dashboard', import.meta.url)),
      logosFolder: fileURLToPath(new URL('./logos', import.meta.url)),
      docsFolder: fileURLToPath(new URL('./docs', import.meta.url)),
      commandFile: fileURLToPath(new URL('./cli/chainwatch.tgz', import.meta.url)),
      ...{ logger, port: config.PORT, host: config.HOST },
    });
    return {
      telemetry,
      health: { ...healthAddressOf(config), checks: gateway.readiness },
      drainMs: config.DRAIN_DELAY,
      stop: async () => {
        await gateway.drain(config.DRAIN_DELAY);
        await gateway.stop();
        await Promise.all([bulk.stop(), standby?.close()]);
        await Promise.all([bus.close(), cache.close(), prisma.$disconnect(), db.close()]);
      },
    };
  },
});

type Config = ReturnType<typeof readConfig>;

/** Two thirds of the sessions are for raw SQL, the rest for Prisma. */
function readSessions({ DB_POOL_SIZE: poolSize = 15, STATEMENT_TIMEOUT: statementTimeoutMs }: Config) {
  const common = { applicationName: NAME, statementTimeoutMs, findOwner: findRequestOwner };
  return {
    raw: { ...common, poolSize: Math.round((poolSize * 2) / 3) },
    prisma: { ...common, poolSize: Math.floor(poolSize / 3) },
  };
}

function openReads(config: Config, logger: Logger): ReturnType<typeof openStandby> | undefined {
  const { DATABASE_READ_URL: url, DATABASE_URL: primaryUrl } = config;
  if (url === undefined) return undefined;
  const { raw, prisma } = readSessions(config);
  return openStandby({
    ...{ url, primaryUrl, logger, applicationName: NAME },
    stalenessMs: config.READ_STALENESS,
    isPrepared: config.DB_PREPARED,
    poolSizes: [raw.poolSize, prisma.poolSize],
    // The other half is for the primary.
    statementTimeoutMs: config.STATEMENT_TIMEOUT / 2,
  });
}

/** A pool of its own: one statement is read for minutes, beside the sessions of requests. */
function openStatements(config: Config, logger: Logger): ApiGatewayOptions['statements'] {
  const { STATEMENT_KEY: key, DATABASE_URL: url, DB_PREPARED: isPrepared } = config;
  if (key === undefined) return undefined;
  const db = createDatabase({
    ...{ url, isPrepared, logger, applicationName: `${NAME}-statements`, poolSize: 3 },
    statementTimeoutMs: STATEMENT_READ_MS,
  });
  return { db, signer: createStatementSigner(key) };
}

function openDial({ OUTBOUND_ALLOW: allow, ...own }: Config): Dial {
  const { DATABASE_URL, DATABASE_READ_URL = '', NATS_URL, REDIS_URL = '' } = own;
  return createDial({ allow, own: [DATABASE_URL, DATABASE_READ_URL, NATS_URL, REDIS_URL] });
}

function readSettings(config: Config): ApiSettings {
  return {
    namespaceLabel: config.NAMESPACE_LABEL,
    allowHttpWebhooks: config.WEBHOOK_ALLOW_HTTP,
    channelOptions: channelOptionsOf(config),
    chainEndpoints: config.CHAIN_ENDPOINTS,
    upgrades: createUpgradeBook(config.UPGRADES_FILE),
    nodeTimeoutMs: config.NODE_TIMEOUT,
    uris: { docsUrl: config.DOCS_URL, apiHost: config.API_HOST },
    publicUrl: config.PUBLIC_URL,
    rpcUrl: config.RPC_URL,
    playgroundUrl: config.PLAYGROUND_URL,
    version: {
      name: 'chainwatch',
      version: packageJson.version,
      commit: config.BUILD_COMMIT,
      builtAt: config.BUILD_TIME,
    },
  };
}

function createBulkThreads(config: Config): BulkThreads {
  return new BulkThreads({
    databaseUrl: config.DATABASE_URL,
    isPrepared: config.DB_PREPARED,
    statementTimeoutMs: config.STATEMENT_TIMEOUT,
    docsUrl: config.DOCS_URL,
    apiHost: config.API_HOST,
  });
}

function readAppOptions(config: Config, logger: Logger) {
  return {
    statements: openStatements(config, logger),
    limits: {
      perKey: { api: config.RATE_LIMIT_API, rpc: config.RATE_LIMIT_RPC, mgt: config.RATE_LIMIT_MANAGEMENT },
      failedPerClient: config.RATE_LIMIT_FAILED_AUTH,
      publicPerClient: config.RATE_LIMIT_PUBLIC,
    },
    docsUrl: config.DOCS_URL,
    apiHost: config.API_HOST,
    trustedProxies: config.TRUSTED_PROXIES,
    corsOrigins: config.CORS_ORIGINS,
    oidc: oidcOf(config),
    requestTimeoutMs: config.REQUEST_TIMEOUT,
  };
}
