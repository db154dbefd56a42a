// SPDX-License-Identifier: Apache-2.0
import { LRUCache } from 'lru-cache';
import type { RedisClient } from './connect-redis.ts';

export interface WriteRequest {
  /** Who writes: a key, a session. */
  readonly caller: string;
  /** How long the write counts. */
  readonly ttlSeconds: number;
}

export interface OwnWrites {
  /** Notes that a caller wrote something. Returns whether every replica knows: false where Redis did not take it. */
  noteWrite(request: WriteRequest): Promise<boolean>;
  /** Whether a caller may have written something lately: true also where Redis cannot say. */
  mayHaveWritten(request: WriteRequest): Promise<boolean>;
}

type Attempt = <T>(work: (redis: RedisClient) => Promise<T>) => Promise<T | undefined>;

const CALLERS_MAX = 100_000;
const NOTED = Buffer.from('1');

/**
 * Who wrote lately, through any replica. A Redis that was away may have missed notes, or lost them: what it does not know
 * counts only once it has answered for as long as notes live. Without a Redis each process knows its own.
 */
export function createOwnWrites(redis: RedisClient | undefined, attempt: Attempt): OwnWrites {
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
