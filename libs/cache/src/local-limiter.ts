import { LRUCache } from 'lru-cache';
import { decideToken, type TokenRequest, type TokenResult } from './consume-token.ts';

const KEYS_MAX = 100_000;

/** The same limits, counted by this process alone while Redis is away. */
export function createLocalLimiter(): (request: TokenRequest) => TokenResult {
  const tats = new LRUCache<string, number>({ max: KEYS_MAX });
  return (request) => {
    const now = request.now ?? Date.now();
    const { result, nextTat } = decideToken(request, tats.get(request.key), now);
    if (nextTat !== undefined) tats.set(request.key, nextTat);
    return result;
  };
}
