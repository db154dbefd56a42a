// SPDX-License-Identifier: Apache-2.0
/** One of a number of things that may be open at the same time, over all replicas. */
export interface SlotRequest {
  /** What is limited: the streams of a project. */
  readonly key: string;
  /** The one that is open, by an id of its own. */
  readonly holder: string;
  readonly limit: number;
  /** A holder that does not come again within this time has died: its slot is free. */
  readonly ttlSeconds: number;
  /** The holder has its slot, and keeps it, however many others there are by now. */
  readonly isKept?: boolean;
}

/**
 * KEYS[1] the key, a sorted set of holders by the time at which their slots end; ARGV holder, limit, time to live in ms, 1 if
 * the slot is kept. Returns 1 if the holder has a slot.
 */
export const SLOT_SCRIPT = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if ARGV[4] ~= '1' and not redis.call('ZSCORE', KEYS[1], ARGV[1]) and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[1])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return 1
`;

interface LocalSlots {
  hold(request: SlotRequest): boolean;
  free(request: Pick<SlotRequest, 'key' | 'holder'>): void;
  /** Those that are held, each with the rest of its time. */
  list(): Pick<SlotRequest, 'key' | 'holder' | 'ttlSeconds'>[];
}

/** The same slots, counted by this process alone while Redis is away. What it holds is bounded by what is open. */
export function createLocalSlots(): LocalSlots {
  const ends = new Map<string, Map<string, number>>();
  return {
    hold({ key, holder, limit, ttlSeconds, isKept = false }) {
      const now = Date.now();
      const holders = ends.get(key) ?? new Map<string, number>();
      for (const [one, endMs] of holders) if (endMs <= now) holders.delete(one);
      if (!isKept && !holders.has(holder) && holders.size >= limit) return false;
      holders.set(holder, now + ttlSeconds * 1_000);
      ends.set(key, holders);
      return true;
    },
    free({ key, holder }) {
      const holders = ends.get(key);
      holders?.delete(holder);
      if (holders?.size === 0) ends.delete(key);
    },
    list() {
      const now = Date.now();
      return [...ends].flatMap(([key, holders]) =>
        [...holders]
          .filter(([, endMs]) => endMs > now)
          .map(([holder, endMs]) => ({ key, holder, ttlSeconds: (endMs - now) / 1_000 })),
      );
    },
  };
}
