import { counter, gauge, histogram, onScrape, type Logger } from '@chainwatch/telemetry';
import { Redis } from 'ioredis';
import {
  decideToken,
  type TokenRequest,
  type TokenResult,
  GCRA_SCRIPT,
  createLocalLimiter,
} from './consume-token.ts';
import { argumentsOf, type Mark, type MarksRequest, MARKS_SCRIPT, readMarks } from './marks.ts';
import { createLocalSlots, SLOT_SCRIPT, type SlotRequest } from './slots.ts';

export interface CacheOptions {
  readonly logger?: Pick<Logger, 'info' | 'warn'>;
  /** Prefix of every key. Default `chainwatch:`. */
  readonly prefix?: string;
  /** A slower answer counts as no answer. Default 250. */
  readonly timeoutMs?: number;
}

/**
 * Nothing here rejects. Without Redis, reads find nothing, writes do nothing, and this process counts the limits alone.
 */
export interface Cache {
  readonly isReady: boolean;
  /** The bytes of the key; undefined if there are none, or Redis is away. */
  findBytes(key: string): Promise<Buffer | undefined>;
  /** Stores bytes as they are for a time. Returns whether they were stored. */
  setBytes(key: string, value: Buffer, ttlSeconds: number): Promise<boolean>;
  consumeToken(request: TokenRequest): Promise<TokenResult>;
  /** Takes or keeps one of a number of slots that all replicas share. Returns whether there was one. */
  holdSlot(request: SlotRequest): Promise<boolean>;
  freeSlot(request: Pick<SlotRequest, 'key' | 'holder'>): Promise<void>;
  /** Raises marks of a subject, and returns all that are younger than the time to live; undefined if Redis is away. */
  marks(request: MarksRequest): Promise<ReadonlyMap<string, Mark> | undefined>;
  close(): Promise<void>;
}

type ScriptedRedis = Redis & {
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
};

/** After a time-out Redis is not asked for this long, so that not every request waits for a hanging Redis. */
const REST_MS = 1_000;

const connected = gauge('chainwatch_redis_connected', { description: '1 while Redis answers this process.' });
const reconnects = counter('chainwatch_redis_reconnects_total', {
  description: 'Times that the connection to Redis came back.',
});
const seconds = histogram('chainwatch_redis_command_seconds', {
  description: 'Commands that Redis answered.',
});
const failures = counter('chainwatch_redis_failures_total', {
  description: 'Commands that Redis did not answer in time, or refused.',
});

/** A Redis client that fails open. Without a `url` it is the same cache with Redis always away. */
export function createCache(
  url: string | undefined,
  { logger, prefix = 'chainwatch:', timeoutMs = 250 }: CacheOptions = {},
): Cache {
  const redis = url === undefined ? undefined : connect(url, { prefix, timeoutMs, logger });
  const consumeLocally = createLocalLimiter();
  const slots = createLocalSlots();
  const attempt = attemptOn(redis);
  const stopObserving = redis && onScrape(() => connected.set(redis.status === 'ready' ? 1 : 0));
  return {
    get isReady() {
      return redis?.status === 'ready';
    },
    findBytes: async (key) => (await attempt((client) => client.getBuffer(key))) ?? undefined,
    setBytes: async (key, value, ttlSeconds) =>
      (await attempt((client) => client.set(key, value, 'EX', ttlSeconds))) === 'OK',
    async consumeToken(request) {
      const answer = await attempt((client) =>
        client.gcra(
          `rate:${request.key}`,
          request.limit,
          request.windowSeconds * 1_000,
          request.now ?? '',
          request.cost ?? 1,
          request.isSpent ? 1 : 0,
        ),
      );
      if (answer === undefined) return consumeLocally(request);
      const [tat, now] = answer;
      return decideToken(request, tat === '' ? undefined : Number(tat), Number(now)).result;
    },
    async holdSlot(request) {
      const { key, holder, limit, ttlSeconds, isKept = false } = request;
      // Counted here too, for when Redis goes away.
      const isFree = slots.hold(request);
      const answer = await attempt((client) =>
        client.slot(`slots:${key}`, holder, limit, ttlSeconds * 1_000, isKept ? 1 : 0),
      );
      const isHeld = answer === undefined ? isFree : answer === 1;
      if (!isHeld) slots.free(request);
      return isHeld;
    },
    async freeSlot({ key, holder }) {
      slots.free({ key, holder });
      await attempt((client) => client.zrem(`slots:${key}`, holder));
    },
    async marks(request) {
      const answer = await attempt((client) => client.marks(request.key, ...argumentsOf(request)));
      return answer && readMarks(answer, request.ttlSeconds * 1_000);
    },
    async close() {
      stopObserving?.();
      redis?.disconnect();
    },
  };
}

/** Undefined: Redis is away, or did not answer in time. */
function attemptOn(
  redis: ScriptedRedis | undefined,
): <T>(work: (redis: ScriptedRedis) => Promise<T>) => Promise<T | undefined> {
  let restUntilMs = 0;
  return async (work) => {
    if (redis === undefined || redis.status !== 'ready' || Date.now() < restUntilMs) return undefined;
    const sentAtMs = performance.now();
    try {
      const answer = await work(redis);
      seconds.record((performance.now() - sentAtMs) / 1_000);
      return answer;
    } catch (error) {
      failures.add();
      if (error instanceof Error && error.message === 'Command timed out') restUntilMs = Date.now() + REST_MS;
      return undefined;
    }
  };
}

function connect(
  url: string,
  {
    prefix,
    timeoutMs,
    logger,
  }: {
    readonly prefix: string;
    readonly timeoutMs: number;
    readonly logger: Pick<Logger, 'info' | 'warn'> | undefined;
  },
): ScriptedRedis {
  const redis = new Redis(url, {
    keyPrefix: prefix,
    commandTimeout: timeoutMs,
    connectTimeout: 2_000,
    // Requests are not queued while Redis is away: a caller gets its answer now or goes on without it.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempts) => Math.min(100 * attempts, 2_000),
    keepAlive: 10_000,
    // Requests made at the same time share a round trip.
    enableAutoPipelining: true,
  });
  let isAway = false;
  let wasReady = false;
  redis.on('ready', () => {
    if (wasReady) reconnects.add();
    wasReady = true;
    if (isAway) logger?.info({}, 'the connection to Redis was restored');
    isAway = false;
  });
  redis.on('error', (error: Error) => {
    if (!isAway) logger?.warn({ err: error }, 'Redis did not answer: limits were counted by this process');
    isAway = true;
  });
  redis.defineCommand('gcra', { numberOfKeys: 1, lua: GCRA_SCRIPT });
  redis.defineCommand('marks', { numberOfKeys: 1, lua: MARKS_SCRIPT });
  redis.defineCommand('slot', { numberOfKeys: 1, lua: SLOT_SCRIPT });
  return redis as ScriptedRedis;
}
