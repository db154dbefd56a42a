// SPDX-License-Identifier: Apache-2.0
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import ipaddr from 'ipaddr.js';

/** Tolerance for rounding: fractions of an interval add up to slightly more than the window. */
const EPSILON_MS = 0.001;
const KEYS_MAX = 100_000;

export interface TokenRequest {
  /** What to count, with its subject: `api:<key id>`, `auth:<client address>`. */
  readonly key: string;
  /** Requests per window. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** Number of requests to take. Default 1. */
  readonly cost?: number;
  /** Takes the cost whatever is left, for requests that were already let through. Default false. */
  readonly isSpent?: boolean;
  /** Unix time in milliseconds; default now. */
  readonly now?: number;
}

export interface TokenResult {
  readonly allowed: boolean;
  readonly limit: number;
  /** Requests that would be allowed right now. */
  readonly remaining: number;
  /** Unix seconds when the whole limit is free again. */
  readonly resetAt: number;
  /** 0 when allowed; otherwise when to try again. */
  readonly retryAfterSeconds: number;
}

/**
 * The generic cell rate algorithm. `tat` is the time at which the key would have used up all its requests, at one
 * request per `windowSeconds / limit`. A request is allowed while `tat` lies less than a window ahead.
 *
 * @param tat milliseconds; undefined for a key that was not used for a window
 * @returns the answer and, if the request was allowed, the next `tat`
 */
export function decideToken(
  { limit, windowSeconds, cost = 1, isSpent = false }: TokenRequest,
  tat: number | undefined,
  now: number,
): { result: TokenResult; nextTat: number | undefined } {
  const windowMs = windowSeconds * 1_000;
  const intervalMs = windowMs / limit;
  const start = Math.max(tat ?? now, now);
  const next = start + intervalMs * cost;
  const allowed = isSpent || next - now <= windowMs + EPSILON_MS;
  const used = allowed ? next : start;
  return {
    result: {
      allowed,
      limit,
      remaining: Math.max(0, Math.floor((windowMs - (used - now) + EPSILON_MS) / intervalMs)),
      resetAt: Math.ceil(used / 1_000),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((next - windowMs - now) / 1_000)),
    },
    nextTat: allowed ? next : undefined,
  };
}

/**
 * The decision of decideToken, made in one step on the server, so that all replicas share one count. Returns the `tat`
 * before the request (empty if there was none) and whether the request was allowed; the caller computes the answer from
 * these.
 * KEYS[1] the key; ARGV limit, window in ms, now in ms (empty: the server's clock, which all replicas share), cost, and
 * 1 if the cost is taken whatever is left.
 */
export const GCRA_SCRIPT = `
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local now
if ARGV[3] == '' then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
else
  now = tonumber(ARGV[3])
end
local stored = redis.call('GET', KEYS[1])
local start = now
if stored and tonumber(stored) > now then start = tonumber(stored) end
local following = start + window / limit * tonumber(ARGV[4])
if ARGV[5] == '1' or following - now <= window + ${EPSILON_MS} then
  redis.call('SET', KEYS[1], string.format('%.6f', following), 'PX', math.max(1, math.ceil(following - now)))
end
return { stored or '', string.format('%.6f', now) }
`;

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

/**
 * Whom requests without a key are counted against: an IPv4 address, or the first 64 bits of an IPv6 address (`2001:db8:0:0`),
 * because whoever has one address has the whole network. IPv4 in IPv6 is IPv4. Undefined if the text is no address: a
 * client can send any text to a proxy.
 */
export function findClient(address: string | undefined): string | undefined {
  if (address === undefined || isIP(address) === 0) return undefined;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}
