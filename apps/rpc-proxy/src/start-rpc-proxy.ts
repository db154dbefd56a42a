// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from '@chainwatch/data/bus';
import type { Cache } from '@chainwatch/platform/cache';
import type { Dial, Opener } from '@chainwatch/chain-core';
import { loadFamilies } from '@chainwatch/chain-registry';
import type { Database } from '@chainwatch/data/db';
import { createKeyStore, type KeyStore } from '@chainwatch/data/key-store';
import {
  degraded,
  notOk,
  ok,
  probe,
  type Checks,
  type Logger,
  counter,
  gauge,
} from '@chainwatch/platform/telemetry';
import { AnswerCache } from './cache/answer-cache.ts';
import { SharedStore } from './cache/shared-store.ts';
import { ChainDirectory } from './chains/chain-directory.ts';
import type { ChainSettings } from './chains/chain-settings.ts';
import { FilterRegistry } from './chains/filter-registry.ts';
import { followEndpoints } from './chains/follow-endpoints.ts';
import { createRpcServer } from './http/create-rpc-server.ts';
import { Authenticator } from './http/authenticator.ts';
import { DEFAULT_BOUNDS, type Bounds } from './limits/bounds.ts';
import { KeyLimits } from './limits/key-limits.ts';
import { LookUps } from './limits/look-ups.ts';
import { observeLimits } from './limits/observe-limits.ts';
import { ClientConnections } from './limits/client-connections.ts';
import { Tenants } from './limits/tenants.ts';
import { startUsageFlusher } from './usage/flush-usage.ts';
import { UsageRecorder } from './usage/usage-recorder.ts';
import type { Chain, Outcome } from './chains/chain.ts';
import { statusOf } from './http/serve-list.ts';

export interface RpcProxyOptions {
  readonly db: Database;
  readonly bus: Pick<Bus<'rpc-proxy'>, 'subscribe' | 'isConnected'>;
  readonly cache: Pick<Cache, 'consumeToken' | 'findBytes' | 'setBytes' | 'marks' | 'isReady' | 'health'>;
  readonly opener: Opener;
  readonly dial: Dial;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly namespaceLabel: string;
  readonly limits: {
    readonly perKey: number;
    readonly failedPerClient: number;
    readonly publicPerClient: number;
  };
  /** Missing members default to `DEFAULT_BOUNDS`. */
  readonly bounds?: Partial<Bounds>;
  /** How often connections are checked; for specs. */
  readonly sweepMs?: number;
  readonly trustedProxies: number;
  /** Origins whose pages may call; `*` stands for any. */
  readonly corsOrigins: readonly string[];
  /** Memory for cached answers; 0 turns the cache off. */
  readonly cacheBytes: number;
  /** How long Redis keeps answers that cannot change, for every replica; 0 keeps none there. */
  readonly sharedCacheSeconds: number;
  /** How long a call waits for Redis; for specs. */
  readonly sharedHeadStartMs?: number;
  /** More nodes by chain gid, and what may be called. */
  readonly endpoints: Readonly<Record<string, readonly string[]>>;
  readonly settings: Readonly<Record<string, ChainSettings>>;
  /** Between two health questions to a node; for specs. */
  readonly healthIntervalMs?: number;
  /** Between two pings to the node of a subscription; for specs. */
  readonly nodePingMs?: number;
  /** 0 picks a free port. */
  readonly port: number;
  readonly host?: string;
}

export interface RpcProxy {
  readonly port: number;
  readonly directory: ChainDirectory;
  /** The memory held, by tenant. */
  readonly tenants: Tenants;
  readonly connections: ClientConnections;
  readiness(): Promise<Checks>;
  /** Writes what was counted so far. */
  flushUsage(): Promise<void>;
  /** Goes on answering for this long, each answer the last one of its connection. */
  drain(delayMs: number): Promise<void>;
  /** Lets calls in flight finish for a while. Does not close the adapters: their creator does. */
  stop(graceMs?: number): Promise<void>;
}

/** Starts the RPC gateway on adapters that are already connected. */
export async function startRpcProxy(options: RpcProxyOptions): Promise<RpcProxy> {
  const { db, bus, logger } = options;
  const keys = createKeyStore({ db });
  const bounds = { ...DEFAULT_BOUNDS, ...options.bounds };
  const { directory, follower } = await openChains(options, bounds);
  const usage = new UsageRecorder();
  const flusher = startUsageFlusher(usage, db, logger);
  const stopObserving = observeChains(directory);
  const admission = createAdmission(options, bounds, keys);
  const { tenants, connections, limits } = admission;
  const stopObservingLimits = observeLimits(tenants, connections);
  const server = createRpcServer(
    options,
    { ...admission, keys, directory, usage },
    createAnswerCache(options),
  );
  const stopListening = [
    bus.subscribe('key.revoked', [], ({ payload: { key_hash: hash, ends_at: endsAt } }) => {
      const endsAtMs = endsAt === undefined ? 0 : Date.parse(endsAt);
      keys.revoke(hash, endsAtMs);
      server.revoke(hash, endsAtMs);
    }),
    bus.subscribe('chain.changed', [], () => void follower.refresh()),
  ];
  const port = await server.listen(options);
  return {
    port,
    directory,
    tenants,
    connections,
    readiness: async () => ({
      postgres: await probe(() => db.query('SELECT 1')),
      // The bus reports revocations; without it the key cache forgets a key within 10 s.
      nats: bus.isConnected ? ok : degraded('not connected: revoked keys are forgotten within 10 s'),
      redis: options.cache.health(),
      endpoints: follower.isCurrent ? ok : notOk('failed to read chain endpoints'),
      ...checkChains(directory),
    }),
    flushUsage: flusher.flush,
    async drain(delayMs) {
      server.drain();
      await delay(delayMs);
    },
    async stop(graceMs = 10_000) {
      for (const stop of stopListening) stop();
      follower.stop();
      await server.close(graceMs);
      limits.stop();
      connections.stop();
      stopObserving();
      stopObservingLimits();
      await flusher.stop();
      directory.close();
    },
  };
}

/** The chains with their nodes, from the configuration and the database. */
async function openChains(options: RpcProxyOptions, bounds: Bounds) {
  const { db, opener, settings, endpoints, logger } = options;
  const directory = new ChainDirectory({
    families: await loadFamilies(),
    settings,
    dial: options.dial,
    logger,
    healthIntervalMs: options.healthIntervalMs,
    callsPerKey: bounds.callsPerKey,
    filters: new FilterRegistry({ cache: options.cache }),
    cache: options.cache,
  });
  const follower = await followEndpoints({ db, opener, directory, settings, endpoints, logger });
  return { directory, follower };
}

/** Authentication, rate limits and memory quotas. */
function createAdmission(options: RpcProxyOptions, bounds: Bounds, keys: KeyStore) {
  const { namespaceLabel, trustedProxies } = options;
  const limits = new KeyLimits({
    cache: options.cache,
    limit: options.limits.perKey,
    failedPerClient: options.limits.failedPerClient,
    publicPerClient: options.limits.publicPerClient,
  });
  const tenants = new Tenants(bounds);
  const connections = new ClientConnections({
    tenants,
    perClient: trustedProxies > 0 ? Infinity : bounds.connectionsPerClient,
    writeTimeoutMs: bounds.writeTimeoutMs,
    sweepMs: options.sweepMs,
  });
  const lookUps = new LookUps({
    takeFailure: (address) => limits.takeFailure(address),
    perAddress: options.limits.failedPerClient,
  });
  const authenticator = new Authenticator({
    keys,
    namespaceLabel,
    lookUps,
    tenants,
    connections,
    trustedProxies,
  });
  return { limits, tenants, connections, authenticator };
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

const INTERVAL_MS = 2_000;

const attempts = counter('chainwatch_rpc_upstream_requests_total', {
  description: 'Requests to nodes by outcome',
});
const serving = gauge('chainwatch_rpc_upstream_serving', { description: '1 while a node serves' });
const heads = gauge('chainwatch_rpc_upstream_head_number', {
  description: 'Highest block that a node reported',
});
const inFlight = gauge('chainwatch_rpc_upstream_inflight_requests', { description: 'Requests under way' });

/** Reports what the chains counted to the metrics at intervals. Returns stop. */
function observeChains(directory: ChainDirectory): () => void {
  const told = new Map<string, Record<Outcome, number>>();
  let known = new Map<string, ReturnType<typeof labelsOf>>();
  const observe = (): void => {
    const before = known;
    known = new Map();
    for (const chain of sidesOf(directory)) {
      for (const upstream of chain.upstreams) {
        const labels = labelsOf(chain, upstream.label);
        const key = Object.values(labels).join(' ');
        known.set(key, labels);
        serving.set(chain.serves(upstream) ? 1 : 0, labels);
        inFlight.set(upstream.inFlight, labels);
        if (upstream.head !== undefined) heads.set(upstream.head.number, labels);
        const counts = chain.outcomes.get(upstream);
        if (counts === undefined) continue;
        const counted = told.get(key);
        for (const [outcome, count] of Object.entries(counts) as [Outcome, number][]) {
          const more = count - (counted?.[outcome] ?? 0);
          if (more > 0) attempts.add(more, { ...labels, outcome });
        }
        told.set(key, { ...counts });
      }
    }
    // A node that was taken away, or whose chain was deactivated, must alarm nobody.
    for (const [key, labels] of before)
      if (!known.has(key)) for (const each of [serving, heads, inFlight]) each.forget(labels);
  };
  const timer = setInterval(observe, INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

const labelsOf = ({ network, servedPaths }: Chain, upstream: string) => ({
  chain_gid: network.gid,
  upstream,
  interface: servedPaths?.interfaceName ?? 'jsonrpc',
});

/**
 * Reports the state of each chain. A chain never makes this replica unready: another replica would meet the same nodes.
 */
function checkChains(directory: ChainDirectory): Checks {
  const entries = [...directory.chains].filter(
    ({ upstreams, paths }) => upstreams.length > 0 || (paths?.upstreams.length ?? 0) > 0,
  );
  return Object.fromEntries(
    entries.map((chain) => [chain.network.gid, { ...ok, ...describe(chain), ...describePaths(chain) }]),
  );
}

function describePaths({ paths }: Chain) {
  return paths?.servedPaths && { [paths.servedPaths.interfaceName]: describe(paths) };
}

function describe(chain: Chain) {
  const { blockTime, network } = chain;
  return {
    status: statusOf(chain),
    block_time_ms: blockTime.measuredMs && Math.round(blockTime.measuredMs),
    configured_block_time_ms: network.isLocal === true ? undefined : blockTime.configuredMs,
    upstreams: chain.upstreams.map((upstream) => ({
      label: upstream.label,
      serving: chain.serves(upstream),
      head_number: upstream.head?.number,
      reason: upstream.reason,
    })),
  };
}

/** Each chain and, if it has one, its path interface, which has nodes of its own. */
function sidesOf(directory: ChainDirectory): Chain[] {
  return [...directory.chains].flatMap((chain) =>
    chain.paths === undefined ? [chain] : [chain, chain.paths],
  );
}
