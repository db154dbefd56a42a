// SPDX-License-Identifier: Apache-2.0
import { parseRedisUrl, type RedisAddress } from '../config/index.ts';
import { counter, type Logger } from '../telemetry/index.ts';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { GCRA_SCRIPT } from './consume-token.ts';
import { MARKS_SCRIPT } from './marks.ts';
import { REPLICA_SCRIPT } from './replica-count.ts';
import { SLOT_SCRIPT } from './slots.ts';

/** What the cache asks of Redis. Each command has one key: in a cluster, commands of several keys need them in one slot. */
export interface RedisClient {
  readonly status: string;
  getBuffer(key: string): Promise<Buffer | null>;
  set(key: string, value: Buffer, unit: 'EX', ttlSeconds: number): Promise<'OK' | null>;
  zrem(key: string, member: string): Promise<number>;
  gcra(
    key: string,
    limit: number,
    windowMs: number,
    now: number | '',
    cost: number,
    isSpent: 0 | 1,
  ): Promise<[string, string]>;
  marks(key: string, ...args: readonly (string | number)[]): Promise<string[]>;
  slot(key: string, holder: string, limit: number, ttlMs: number, isKept: 0 | 1): Promise<0 | 1>;
  replica(key: string, holder: string, ttlMs: number): Promise<number>;
  on(event: 'ready' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  disconnect(): void;
}

export interface ConnectOptions {
  /** Of every key. */
  readonly prefix: string;
  readonly timeoutMs: number;
  readonly logger: Pick<Logger, 'info' | 'warn'> | undefined;
  /** Fields of the log line when Redis is away. */
  readonly describe: () => object;
}

const reconnects = counter('chainwatch_redis_reconnects_total', {
  description: 'Times that the connection to Redis came back.',
});

/** Only `script`s of this table run in Redis, each on one key. */
const SCRIPTS = { gcra: GCRA_SCRIPT, marks: MARKS_SCRIPT, slot: SLOT_SCRIPT, replica: REPLICA_SCRIPT };

/** A server, a cluster, or the master that sentinels name. @throws Error for a URL that is none of them */
export function connectRedis(
  url: string,
  { prefix, timeoutMs, logger, describe }: ConnectOptions,
): RedisClient {
  const address = parseRedisUrl(url);
  if (address === undefined) throw new Error('expected the URL of a Redis server, cluster, or sentinels');
  const redis = open(address, prefix, timeoutMs);
  for (const [name, lua] of Object.entries(SCRIPTS)) redis.defineCommand(name, { numberOfKeys: 1, lua });
  let isAway = false;
  let wasReady = false;
  redis.on('ready', () => {
    if (wasReady) reconnects.add();
    wasReady = true;
    if (isAway) logger?.info({}, 'the connection to Redis was restored');
    isAway = false;
  });
  redis.on('error', (error: Error) => {
    if (!isAway)
      logger?.warn(
        { err: error, ...describe() },
        'Redis did not answer: limits were counted by this process',
      );
    isAway = true;
  });
  return redis as unknown as RedisClient;
}

function open(address: RedisAddress, prefix: string, timeoutMs: number): Redis | Cluster {
  const options: RedisOptions = {
    commandTimeout: timeoutMs,
    connectTimeout: 2_000,
    // Requests are not queued while Redis is away: a caller gets its answer now or goes on without it.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    keepAlive: 10_000,
  };
  // Requests made at the same time share a round trip.
  const shared = { keyPrefix: prefix, enableAutoPipelining: true };
  const retryStrategy = (attempts: number): number => Math.min(100 * attempts, 2_000);
  if (address.type === 'server') return new Redis(address.url, { ...options, ...shared, retryStrategy });
  const { hosts, isTls, username, password } = address;
  const login = { username, password, ...(isTls && { tls: {} }) };
  if (address.type === 'cluster')
    return new Cluster([...hosts], {
      ...shared,
      enableOfflineQueue: false,
      clusterRetryStrategy: retryStrategy,
      slotsRefreshTimeout: 2_000,
      // Certificates name hosts, not what they resolve to.
      ...(isTls && { dnsLookup: (host, callback) => callback(null, host) }),
      redisOptions: { ...options, ...login },
    });
  const { master, database, sentinelUsername, sentinelPassword } = address;
  return new Redis({
    ...options,
    ...shared,
    ...login,
    retryStrategy,
    sentinelRetryStrategy: retryStrategy,
    sentinels: [...hosts],
    name: master,
    db: database,
    sentinelUsername,
    sentinelPassword,
    ...(isTls && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
    // A failover: the old master goes on as a replica and takes no writes. No `failoverDetector`: it ends for good a client
    // that is connecting at that moment.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  });
}
