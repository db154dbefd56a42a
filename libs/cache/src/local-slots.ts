import type { SlotRequest } from './slots.ts';

interface LocalSlots {
  hold(request: SlotRequest): boolean;
  free(request: Pick<SlotRequest, 'key' | 'holder'>): void;
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
  };
}
