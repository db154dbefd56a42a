import type { Response } from 'express';
import type { ApiKeyType } from '@chainwatch/api-key';
import type { Cache } from '@chainwatch/cache';
import { tooManyRequests } from '@chainwatch/problem';

/** Requests per 60 seconds. */
export interface RequestLimits {
  /** Per key, by its type (decisions.md §8). */
  readonly perKey: Readonly<Record<ApiKeyType, number>>;
  /** Failed authentications per client address. */
  readonly failedPerClient: number;
}

/** Who pays for a request: its key, or the client whose key was none. */
export type LimitedSubject = { readonly keyId: string; readonly keyType: ApiKeyType } | { readonly clientAddress: string };

const windowSeconds = 60;

/** Takes one from the key's limit, or from the client's limit of failures, and tells on the response what is left. */
export function createLimit(cache: Pick<Cache, 'consumeToken'>, limits: RequestLimits) {
  return async (res: Response, subject: LimitedSubject): Promise<void> => {
    const request =
      'keyId' in subject
        ? { key: `api:${subject.keyId}`, limit: limits.perKey[subject.keyType], windowSeconds }
        : { key: `auth:${subject.clientAddress}`, limit: limits.failedPerClient, windowSeconds };
    const result = await cache.consumeToken(request);
    res.setHeader('X-RateLimit-Limit', result.limit);
    res.setHeader('X-RateLimit-Remaining', result.remaining);
    res.setHeader('X-RateLimit-Reset', result.resetAt);
    if (!result.allowed) throw tooManyRequests(result.retryAfterSeconds);
  };
}
