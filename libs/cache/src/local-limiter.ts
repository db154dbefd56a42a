import { decideToken, type TokenRequest, type TokenResult } from './consume-token.ts';

const KEYS_MAX = 100_000;

/** The same limits counted by this process alone, for the time without Redis. */
export function createLocalLimiter(): (request: TokenRequest) => TokenResult {
  const tats = new Map<string, number>();
  return (request) => {
    const now = request.now ?? Date.now();
    const { result, nextTat } = decideToken(request, tats.get(request.key), now);
    if (nextTat !== undefined) {
      // Moved to the end: the map is in order of use, and what is forgotten first was used longest ago.
      tats.delete(request.key);
      tats.set(request.key, nextTat);
      if (tats.size > KEYS_MAX) forget(tats, now);
    }
    return result;
  };
}

function forget(tats: Map<string, number>, now: number): void {
  for (const [key, tat] of tats) {
    if (tats.size <= KEYS_MAX / 2 && tat > now) return;
    tats.delete(key);
  }
}
