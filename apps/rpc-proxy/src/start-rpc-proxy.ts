import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from '@chainwatch/bus';
import type { Cache } from '@chainwatch/cache';
import type { Dial, Opener } from '@chainwatch/chain-core';
import type { Database } from '@chainwatch/db';
import { createKeyStore } from '@chainwatch/key-store';
import { createDrain, degraded, notOk, ok, probe, type Checks, type Logger } from '@chainwatch/telemetry';
import { AnswerCache } from './cache/answer-cache.ts';
import { SharedStore } from './cache/shared-store.ts';
import { createServe } from './calls/serve-request.ts';
import { servePath } from './calls/serve-path.ts';
import { ChainDirectory } from './chains/chain-directory.ts';
import type { ChainSettings } from './chains/chain-settings.ts';
import { FilterBook } from './chains/filter-book.ts';
import { followEndpoints } from './chains/follow-endpoints.ts';
import { Front } from './front/front.ts';
import { answerClientError } from './http/answer-client-error.ts';
import { createCrossOrigin } from './http/cross-origin.ts';
import { Door } from './http/door.ts';
import { createRpcHandler } from './http/rpc-handler.ts';
import { createRpcListener } from './http/rpc-listener.ts';
import { RpcIncoming } from './http/rpc-incoming.ts';
import { createListListener } from './http/serve-list.ts';
import { createPreflightListener } from './http/serve-preflight.ts';
import { DEFAULT_BOUNDS, type Bounds } from './limits/bounds.ts';
import { KeyLimits } from './limits/key-limits.ts';
import { LookUps } from './limits/look-ups.ts';
import { observeLimits } from './limits/observe-limits.ts';
import { Peers } from './limits/peers.ts';
import { Tenants } from './limits/tenants.ts';
import { checkChains, observeChains } from './observe-chains.ts';
import { createUpgradeListener } from './socket/upgrade-listener.ts';
import { startUsageFlusher } from './usage/flush-usage.ts';
import { UsageBook } from './usage/usage-book.ts';

export interface RpcProxyOptions {
  readonly db: Database;
  readonly bus: Pick<Bus<'rpc-proxy'>, 'subscribe' | 'isConnected'>;
  readonly cache: Pick<Cache, 'consumeToken' | 'findBytes' | 'setBytes' | 'isReady'>;
  readonly opener: Opener;
  readonly dial: Dial;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly namespaceLabel: string;
  readonly limits: {
    readonly perKey: number;
    readonly failedPerClient: number;
    readonly publicPerClient: number;
  };
  /** Those that are not given are as `DEFAULT_BOUNDS` says. */
  readonly bounds?: Partial<Bounds>;
  /** How often connections are looked at; for specs. */
  readonly sweepMs?: number;
  readonly trustedProxies: number;
  /** Whose pages may call; `*` stands for any origin. */
  readonly corsOrigins: readonly string[];
  /** `plain`: node:http and undici in place of the own front and client. */
  readonly http: 'fast' | 'plain';
  /** Memory for answers; 0 keeps none. */
  readonly cacheBytes: number;
  /** How long Redis keeps what cannot change for every replica; 0: it keeps none. */
  readonly sharedCacheSeconds: number;
  /** How long a call waits for Redis; for specs. */
  readonly sharedHeadStartMs?: number;
  /** More nodes by chain gid, and what may be called. */
  readonly endpoints: Readonly<Record<string, readonly string[]>>;
  readonly settings: Readonly<Record<string, ChainSettings>>;
  /** Between two questions to a node; for specs. */
  readonly healthIntervalMs?: number;
  /** 0 takes a free one. */
  readonly port: number;
  readonly host?: string;
}

export interface RpcProxy {
  readonly port: number;
  readonly directory: ChainDirectory;
  /** What is held, and for whom. */
  readonly tenants: Tenants;
  readonly peers: Peers;
  readiness(): Promise<Checks>;
  /** Writes what was counted so far. */
  flushUsage(): Promise<void>;
  /** Answers for so long on, each answer the last one of its connection. */
  drain(delayMs: number): Promise<void>;
  /** Lets calls under way end for a while. The adapters stay open: who made them closes them. */
  stop(graceMs?: number): Promise<void>;
}

/** The RPC gateway over adapters that are connected already. */
export async function startRpcProxy(options: RpcProxyOptions): Promise<RpcProxy> {
  const { db, bus, logger, settings } = options;
  const keys = createKeyStore({ db });
  const bounds = { ...DEFAULT_BOUNDS, ...options.bounds };
  const directory = new ChainDirectory({
    settings,
    dial: options.dial,
    logger,
    healthIntervalMs: options.healthIntervalMs,
    callsPerKey: bounds.callsPerKey,
    isPlain: options.http === 'plain',
    filters: new FilterBook({ cache: options.cache }),
  });
  const follower = await followEndpoints({
    db,
    opener: options.opener,
    directory,
    settings,
    endpoints: options.endpoints,
    logger,
  });
  const usage = new UsageBook();
  const flusher = startUsageFlusher(usage, db, logger);
  const stopObserving = observeChains(directory);
  const limits = new KeyLimits({
    cache: options.cache,
    limit: options.limits.perKey,
    failedPerClient: options.limits.failedPerClient,
    publicPerClient: options.limits.publicPerClient,
  });
  const tenants = new Tenants(bounds);
  const peers = new Peers({
    tenants,
    perClient: options.trustedProxies > 0 ? Infinity : bounds.connectionsPerClient,
    writeTimeoutMs: bounds.writeTimeoutMs,
    sweepMs: options.sweepMs,
  });
  const lookUps = new LookUps({
    takeFailure: (address) => limits.takeFailure(address),
    perAddress: options.limits.failedPerClient,
  });
  const door = new Door({
    keys,
    namespaceLabel: options.namespaceLabel,
    lookUps,
    tenants,
    peers,
    trustedProxies: options.trustedProxies,
  });
  const crossOrigin = createCrossOrigin(options.corsOrigins);
  const handle = createRpcHandler({
    door,
    limits,
    directory,
    serve: createServe({ usage, cache: createAnswerCache(options) }),
    servePath: servePath(usage),
    crossOrigin,
    onUnexpected: (err) => logger.error({ err }, 'a call failed unexpectedly'),
  });
  const listener = createRpcListener(handle, door, {
    serveList: createListListener({ directory, limits, crossOrigin, trustedProxies: options.trustedProxies }),
    servePreflight: createPreflightListener({ limits, crossOrigin, trustedProxies: options.trustedProxies }),
  });
  const server = createServer(
    {
      IncomingMessage: RpcIncoming,
      requestTimeout: 60_000,
      headersTimeout: 15_000,
      keepAliveTimeout: 65_000,
      noDelay: true,
    },
    listener,
  );
  server.on('clientError', answerClientError);
  const front = options.http === 'plain' ? undefined : new Front(server, handle, door);
  peers.guard(server);
  const stopObservingLimits = observeLimits(tenants, peers);
  const draining = createDrain(server);
  const upgrade = createUpgradeListener({
    door,
    keys,
    limits,
    directory,
    peers,
    tenants,
    usage,
    dial: options.dial,
    // What a client reads after a notification must be no older than that: nothing of it is kept.
    serve: createServe({ usage, cache: undefined }),
    onFault: (err) => logger.error({ err }, 'a session of a WebSocket failed'),
  });
  server.on('upgrade', upgrade);
  const stopListening = [
    bus.subscribe('key.revoked', [], ({ payload: { key_hash: hash, ends_at: endsAt } }) => {
      const endsAtMs = endsAt === undefined ? 0 : Date.parse(endsAt);
      keys.revoke(hash, endsAtMs);
      upgrade.revoke(hash, endsAtMs);
    }),
    bus.subscribe('chain.changed', [], () => void follower.refresh()),
  ];
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: options.port, host: options.host, backlog: 4_096 }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    directory,
    tenants,
    peers,
    readiness: async () => ({
      postgres: await probe(() => db.query('SELECT 1')),
      // Told of revocations over the bus; without it the key cache forgets within 10 s.
      nats: bus.isConnected ? ok : degraded('not connected: revoked keys are forgotten within 10 s'),
      endpoints: follower.isCurrent ? ok : notOk('the endpoints of the chains could not be read'),
      ...checkChains(directory),
    }),
    flushUsage: flusher.flush,
    async drain(delayMs) {
      draining.start();
      front?.drain();
      await delay(delayMs);
    },
    async stop(graceMs = 10_000) {
      for (const stop of stopListening) stop();
      follower.stop();
      upgrade.close();
      const cut = setTimeout(() => {
        server.closeAllConnections();
        front?.destroy();
      }, graceMs);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        front?.stop();
      });
      clearTimeout(cut);
      front?.destroy();
      limits.stop();
      peers.stop();
      stopObserving();
      stopObservingLimits();
      await flusher.stop();
      await directory.close();
    },
  };
}

function createAnswerCache({
  cache,
  cacheBytes,
  sharedCacheSeconds,
  sharedHeadStartMs,
}: RpcProxyOptions): AnswerCache | undefined {
  if (cacheBytes === 0) return undefined;
  return new AnswerCache(
    cacheBytes,
    sharedCacheSeconds > 0
      ? new SharedStore({ cache, ttlSeconds: sharedCacheSeconds, headStartMs: sharedHeadStartMs })
      : undefined,
  );
}
