// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from '@chainwatch/data/bus';
import type { Cache } from '@chainwatch/platform/cache';
import { startHttpServer } from '@chainwatch/platform/http';
import { createKeyStore } from '@chainwatch/data/key-store';
import { degraded, ok, probe } from '@chainwatch/platform/telemetry';
import type { Checks } from '@chainwatch/platform/telemetry';
import type { ApiDeps } from './api-deps.ts';
import { startDerivation } from './public-keys/load-derivation.ts';
import { createChainRecords } from './chains/chain-records.ts';
import { KeyWatch } from './auth/key-watch.ts';
import { EventFeeds } from './events/event-feeds.ts';
import { followNetworks } from './networks/follow-networks.ts';
import { Exports } from './lists/exports.ts';
import { createApp } from './create-app.ts';
import type { AppOptions } from './create-app.ts';
import { isUpload, UPLOAD_MS_MAX } from './reconciliations/is-upload.ts';
import { startReconciling } from './reconciliations/start-reconciling.ts';
import { sweepExpired } from './server/sweep-expired.ts';
import { startFolding } from './lists/start-folding.ts';
import { StatementWorker, type StatementWorkerOptions } from './statements/statement-worker.ts';
import { observeChains } from './chains/observe-chains.ts';
import { answerProofs } from './proofs/answer-proofs.ts';
import { readChainRecord } from './chains/read-chain-record.ts';

export interface ApiGatewayOptions
  extends Pick<
    AppOptions,
    | 'limits'
    | 'docsUrl'
    | 'apiHost'
    | 'trustedProxies'
    | 'corsOrigins'
    | 'requestTimeoutMs'
    | 'logger'
    | 'oidc'
    | 'dashboardFolder'
    | 'logosFolder'
    | 'docsFolder'
    | 'commandFile'
    | 'checkReplies'
    | 'standby'
  > {
  readonly deps: Omit<
    ApiDeps,
    'bus' | 'cache' | 'chains' | 'networks' | 'keys' | 'feeds' | 'exports' | 'statements'
  >;
  /** With what statements are written; without, none can be asked for. */
  readonly statements?: Pick<StatementWorkerOptions, 'db' | 'signer'> | undefined;
  readonly bus: Pick<Bus<'api-gateway'>, 'publish' | 'subscribe' | 'isConnected'>;
  readonly cache: AppOptions['cache'] & Pick<Cache, 'health'>;
  /** How long a cached key is accepted without asking the database; default 10,000. */
  readonly keyLifetimeMs?: number;
  /** 0 picks a free port. */
  readonly port: number;
  readonly host?: string;
}

export interface ApiGateway {
  readonly port: number;
  /** The dependencies without which the gateway cannot answer. */
  readiness(): Promise<Checks>;
  /** Goes on answering for this long, each answer the last one of its connection. */
  drain(delayMs: number): Promise<void>;
  /** Lets requests in flight finish. Does not close the adapters: their creator does. */
  stop(): Promise<void>;
}

/** After this time a change made by another replica, or by the chain itself, is visible. */
const CHAIN_RECORD_MS = 100;

/** Starts the platform API on adapters that are already connected. */
export async function startApiGateway(options: ApiGatewayOptions): Promise<ApiGateway> {
  const { bus, port, host } = options;
  const { db, logger } = options.deps;
  const keys = createKeyStore({ db, lifetimeMs: options.keyLifetimeMs });
  const chains = createChainRecords({ read: (gid) => readChainRecord(db, gid), lifetimeMs: CHAIN_RECORD_MS });
  const shared = { db, slots: options.cache, logger, keyWatch: new KeyWatch({ db, logger }) };
  const feeds = new EventFeeds(shared);
  const exports = new Exports(shared);
  const networks = await followNetworks(db, logger);
  const statements = options.statements && new StatementWorker({ ...options.statements, logger });
  const deps: ApiDeps = {
    ...options.deps,
    bus,
    cache: options.cache,
    chains,
    networks,
    keys,
    feeds,
    exports,
    statements,
  };
  const stopListening = bus.subscribe('key.revoked', [], ({ payload }) =>
    keys.revoke(payload.key_hash, payload.ends_at === undefined ? 0 : Date.parse(payload.ends_at)),
  );
  const stopWork = startWork(deps);
  // Prisma compiles its query engine at the first query: better now than for the first client.
  void deps.prisma.workspace.findFirst().catch(() => undefined);
  const observer = observeChains({ db: deps.db });
  const server = await startHttpServer(createApp({ ...options, deps, keys }), {
    port,
    host,
    isLong: isUpload,
    longRequestTimeoutMs: UPLOAD_MS_MAX,
    badRequestHeaders: () => uncounted(options.limits.publicPerClient),
  });
  // A build without a family that derives goes on without it.
  void startDerivation().catch(() => undefined);
  return {
    port: server.port,
    // The bus is reported but not required: without it the services find changes by themselves, only later.
    readiness: async () => ({
      postgres: await probe(() => deps.db.query('SELECT 1')),
      nats: bus.isConnected
        ? ok
        : degraded('not connected: changes are found later, revoked keys within 10 s'),
      redis: options.cache.health(),
      standby: options.standby?.watch.health(),
      ...observer.checks(),
    }),
    async drain(delayMs) {
      server.drain();
      feeds.close();
      await delay(delayMs);
    },
    async stop() {
      networks.stop();
      stopListening();
      observer.stop();
      feeds.close();
      await Promise.all([server.close(), statements?.stop(), stopWork()]);
    },
  };
}

/** Work that no request waits for. */
function startWork(deps: ApiDeps): () => Promise<unknown> {
  const { db, logger } = deps;
  const stops = [
    sweepExpired(db, logger),
    startFolding({ db, logger }),
    startReconciling({ db, logger }),
    answerProofs(deps),
  ];
  return () => Promise.all(stops.map(async (stop) => stop()));
}

/** Headers for bytes that never became a request: they count against no limit. */
function uncounted(limit: number): Record<string, number> {
  return {
    'X-RateLimit-Limit': limit,
    'X-RateLimit-Remaining': limit,
    'X-RateLimit-Reset': Math.ceil(Date.now() / 1_000),
  };
}
