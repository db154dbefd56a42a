import type { Response } from 'express';
import type { Cache } from '@chainwatch/cache';
import { tooManyRequests } from '@chainwatch/problem';

/** Requests per 60 seconds. */
export interface RequestLimits {
  /** Per API key. */
  readonly perKey: number;
  /** Failed authentications per client address. */
  readonly failedPerClient: number;
}

const windowSeconds = 60;

/** Takes one from the key's limit, or from the client's limit of failures, and tells on the response what is left. */
export function createLimit(cache: Pick<Cache, 'consumeToken'>, limits: RequestLimits) {
  return async (res: Response, subject: { keyId: string } | { clientAddress: string }): Promise<void> => {
    const request =
      'keyId' in subject
        ? { key: `api:${subject.keyId}`, limit: limits.perKey, windowSeconds }
        : { key: `auth:${subject.clientAddress}`, limit: limits.failedPerClient, windowSeconds };
    const result = await cache.consumeToken(request);
    res.setHeader('X-RateLimit-Limit', result.limit);
    res.setHeader('X-RateLimit-Remaining', result.remaining);
    res.setHeader('X-RateLimit-Reset', result.resetAt);
    if (!result.allowed) throw tooManyRequests(result.retryAfterSeconds);
  };
}
