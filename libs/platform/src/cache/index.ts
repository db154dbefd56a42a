// SPDX-License-Identifier: Apache-2.0
/**
 * Redis, a cache that may be away at any time: values with a time to live, and rate limits that every replica counts
 * the same. Used by api-gateway and rpc-proxy.
 *
 * @example
 * const cache = createCache(config.REDIS_URL, { logger, name: 'api-gateway', replicas: config.REPLICAS });
 * const { allowed, remaining, resetAt } = await cache.consumeToken({ key: `api:${keyId}`, limit: 1_200, windowSeconds: 60 });
 */
export { findClient, type TokenRequest, type TokenResult } from './consume-token.ts';
export { createCache, type Cache, type CacheOptions } from './create-cache.ts';
export type { Mark, MarksRequest } from './marks.ts';
export { TokenLedger } from './token-ledger.ts';
