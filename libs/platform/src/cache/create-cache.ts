// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import {
  counter,
  degraded,
  gauge,
  histogram,
  ok,
  onScrape,
  type CheckResult,
  type Logger,
} from '../telemetry/index.ts';
import { connectRedis, type RedisClient } from './connect-redis.ts';
import { createLocalLimiter, decideToken, type TokenRequest, type TokenResult } from './consume-token.ts';
import { argumentsOf, readMarks, type Mark, type MarksRequest } from './marks.ts';
import { ReplicaCount } from './replica-count.ts';
import { createLocalSlots, type SlotRequest } from './slots.ts';

export interface CacheOptions {
  readonly logger?: Pick<Logger, 'info' | 'warn'>;
  /** Prefix of every key. Default `chainwatch:`. */
  readonly prefix?: string;
  /** A slower answer counts as no answer. Default 250. */
  readonly timeoutMs?: number;
  /** Of the service: its replicas count each other in Redis. Without it they do not. */
  readonly name?: string;
  /** How many replicas there are until Redis was asked. Default 1. */
  readonly replicas?: number;
}

/**
 * Nothing here rejects. Without Redis, reads find nothing, writes do nothing, and this process grants its share of each limit:
 * the limit divided by the number of replicas.
 */
export interface Cache extends OwnWrites {
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
  /** For `/readyz`; undefined without a URL. */
  health(): CheckResult | undefined;
  close(): Promise<void>;
}

/** After a time-out Redis is not asked for this long, so that not every request waits for a hanging Redis. */
const REST_MS = 1_000;
/** As ioredis says it. */
const TIMED_OUT = 'Command timed out';
/** Refusals of a server that soon takes commands again, or whose place another one takes. */
const PASSING = /^(CLUSTERDOWN|LOADING|MASTERDOWN|MOVED|READONLY|TRYAGAIN)/;

const connected = gauge('chainwatch_redis_connected', { description: '1 while Redis answers this process.' });
const share = gauge('chainwatch_limit_share', {
  description: 'The part of each limit that this process grants: 1 while Redis counts, else 1 / replicas.',
});
const seconds = histogram('chainwatch_redis_command_seconds', {
  description: 'Commands that Redis answered.',
});
const failures = counter('chainwatch_redis_failures_total', {
  description: 'Commands that Redis did not answer in time, or refused.',
});

/** A slot is asked for so often before this process decides alone. */
const SLOT_TRIES = 4;
/** After an outage each replica reports its slots again within this time. Until then no slot is given that exceeds the share. */
const SETTLE_MS = 5_000;
const BEAT_MS = 5_000;
/** A replica that does not report again has died. */
const REPLICA_MS = 4 * BEAT_MS;

/** Without a `url` it is the same cache with Redis always away. */
export function createCache(
  url: string | undefined,
  { logger, prefix = 'chainwatch:', timeoutMs = 250, name, replicas: known = 1 }: CacheOptions = {},
): Cache {
  const replicas = new ReplicaCount(known);
  const describe = (): object => ({ replicas: replicas.count });
  const redis = url === undefined ? undefined : connectRedis(url, { prefix, timeoutMs, logger, describe });
  const consumeLocally = createLocalLimiter();
  const { attempt, isAnswering } = attemptOn(redis, timeoutMs);
  const slots = createSlots(redis, { attempt, replicas });
  const stopObserving =
    redis &&
    onScrape(() => {
      connected.set(redis.status === 'ready' ? 1 : 0);
      share.set(isAnswering() ? 1 : 1 / replicas.count);
    });
  const leave = name === undefined ? undefined : countReplicas(redis, { name, attempt, replicas });
  return {
    ...createOwnWrites(redis, attempt),
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
      if (answer === undefined) return consumeLocally({ ...request, limit: replicas.shareOf(request.limit) });
      const [tat, now] = answer;
      return decideToken(request, tat === '' ? undefined : Number(tat), Number(now)).result;
    },
    holdSlot: slots.hold,
    freeSlot: slots.free,
    health() {
      if (redis === undefined) return undefined;
      if (isAnswering()) return ok;
      return degraded(`no answer: this replica grants 1/${replicas.count} of each limit`);
    },
    async marks(request) {
      const answer = await attempt((client) => client.marks(request.key, ...argumentsOf(request)));
      return answer && readMarks(answer, request.ttlSeconds * 1_000);
    },
    async close() {
      stopObserving?.();
      for (const each of [connected, share]) each.forget();
      await leave?.();
      redis?.disconnect();
    },
  };
}

type Attempt = <T>(work: (redis: RedisClient) => Promise<T>, tries?: number) => Promise<T | undefined>;

/** `attempt` resolves to undefined if Redis is away or did not answer in time. */
function attemptOn(
  redis: RedisClient | undefined,
  timeoutMs: number,
): { readonly attempt: Attempt; readonly isAnswering: () => boolean } {
  let restUntilMs = 0;
  const isAnswering = (): boolean => redis?.status === 'ready' && Date.now() >= restUntilMs;
  const attempt: Attempt = async (work, tries = 1) => {
    // Who asks several times does not go by what others met.
    if (redis === undefined || (tries === 1 && !isAnswering())) return undefined;
    for (let left = tries; left > 0 && redis.status === 'ready'; left -= 1) {
      const sentAtMs = performance.now();
      try {
        const answer = await inTime(work(redis), timeoutMs);
        seconds.record((performance.now() - sentAtMs) / 1_000);
        return answer;
      } catch (error) {
        failures.add();
        const { name, message } = error as Error;
        if (message === TIMED_OUT) restUntilMs = Date.now() + REST_MS;
        else if (name === 'ReplyError' && !PASSING.test(message)) return undefined;
        else if (left > 1) await delay(timeoutMs);
      }
    }
    return undefined;
  };
  return { attempt, isAnswering };
}

/** A cluster asks several nodes one after the other: its answer has a time-out of its own, too. */
async function inTime<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(TIMED_OUT)), timeoutMs * 1.2);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

interface Shared {
  readonly attempt: Attempt;
  readonly replicas: ReplicaCount;
}

/** Slots are counted in Redis exactly. While it is away, each replica gives out its share and keeps what it gave. */
function createSlots(
  redis: RedisClient | undefined,
  { attempt, replicas }: Shared,
): { readonly hold: Cache['holdSlot']; readonly free: Cache['freeSlot'] } {
  const local = createLocalSlots();
  const ask = ({ key, holder, limit, ttlSeconds, isKept = false }: SlotRequest, tries: number) =>
    attempt(
      (client) => client.slot(`slots:${key}`, holder, limit, Math.round(ttlSeconds * 1_000), isKept ? 1 : 0),
      tries,
    );
  const remove = ({ key, holder }: Pick<SlotRequest, 'key' | 'holder'>) =>
    attempt((client) => client.zrem(`slots:${key}`, holder));
  let settledAtMs = 0;
  let wasReady = false;
  redis?.on('ready', () => {
    if (wasReady) settledAtMs = Date.now() + SETTLE_MS;
    wasReady = true;
    // Redis may have come back empty.
    for (const slot of local.list()) void ask({ ...slot, limit: 0, isKept: true }, SLOT_TRIES);
  });
  return {
    async hold(request) {
      const share = { ...request, limit: replicas.shareOf(request.limit) };
      const isAlone = redis === undefined || Date.now() < settledAtMs;
      if (isAlone && !local.hold(share)) return false;
      const answer = await ask(request, SLOT_TRIES);
      const isHeld = answer === undefined ? local.hold(share) : answer === 1;
      // Counted here too, for when Redis goes away.
      if (isHeld) local.hold({ ...request, isKept: true });
      else {
        local.free(request);
        // Redis may have taken what it did not answer.
        if (answer === undefined) void remove(request);
      }
      return isHeld;
    },
    async free(request) {
      local.free(request);
      await remove(request);
    },
  };
}

/** Reports this replica to Redis, and learns how many there are. What is returned ends it. */
function countReplicas(
  redis: RedisClient | undefined,
  { name, attempt, replicas }: Shared & { readonly name: string },
): () => Promise<void> {
  const [key, holder] = [`replicas:${name}`, randomUUID()];
  const beat = async (): Promise<void> => {
    const count = await attempt((client) => client.replica(key, holder, REPLICA_MS));
    if (count !== undefined) replicas.learn(count);
  };
  redis?.on('ready', () => void beat());
  const beating = setInterval(() => void beat(), BEAT_MS).unref();
  return async () => {
    clearInterval(beating);
    await attempt((client) => client.zrem(key, holder));
  };
}

interface WriteRequest {
  /** Who writes: a key, a session. */
  readonly caller: string;
  /** How long the write counts. */
  readonly ttlSeconds: number;
}

interface OwnWrites {
  /** Notes that a caller wrote something. Returns whether every replica knows: false where Redis did not take it. */
  noteWrite(request: WriteRequest): Promise<boolean>;
  /** Whether a caller may have written something lately: true also where Redis cannot say. */
  mayHaveWritten(request: WriteRequest): Promise<boolean>;
}

const CALLERS_MAX = 100_000;
const NOTED = Buffer.from('1');

/**
 * Who wrote lately, through any replica. A Redis that was away may have missed notes, or lost them: what it does not know
 * counts only once it has answered for as long as notes live. Without a Redis each process knows its own.
 */
function createOwnWrites(redis: RedisClient | undefined, attempt: Attempt): OwnWrites {
  const own = new LRUCache<string, true>({ max: CALLERS_MAX, ttl: 1 });
  let awayAtMs = performance.now();
  const noteAway = (): void => void (awayAtMs = performance.now());
  redis?.on('ready', noteAway);
  const keyOf = (caller: string): string => `writes:${caller}`;
  return {
    async noteWrite({ caller, ttlSeconds }) {
      own.set(caller, true, { ttl: ttlSeconds * 1_000 });
      if (redis === undefined) return true;
      return (
        (await attempt((client) => client.set(keyOf(caller), NOTED, 'EX', Math.ceil(ttlSeconds)))) === 'OK'
      );
    },
    async mayHaveWritten({ caller, ttlSeconds }) {
      if (own.has(caller)) return true;
      if (redis === undefined) return false;
      const found = await attempt((client) => client.getBuffer(keyOf(caller)));
      if (found === undefined) noteAway();
      return found !== null || performance.now() - awayAtMs < ttlSeconds * 1_000;
    },
  };
}
