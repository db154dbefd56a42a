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
  /** What needs no key, per client address. */
  readonly publicPerClient: number;
}

/** Who pays for a request: its key, the client whose key was none, or the client that needed none. */
export type LimitedSubject = { readonly keyId: string; readonly keyType: ApiKeyType } | { readonly failedClient: string } | { readonly publicClient: string };
export type Limit = (res: Response, subject: LimitedSubject) => Promise<void>;

const windowSeconds = 60;

/** Takes one from the key's limit, or from the client's limit of failures, and tells on the response what is left. */
export function createLimit(cache: Pick<Cache, 'consumeToken'>, limits: RequestLimits): Limit {
  return async (res, subject) => {
    const result = await cache.consumeToken({ ...toRequest(subject, limits), windowSeconds });
    res.setHeader('X-RateLimit-Limit', result.limit);
    res.setHeader('X-RateLimit-Remaining', result.remaining);
    res.setHeader('X-RateLimit-Reset', result.resetAt);
    if (!result.allowed) throw tooManyRequests(result.retryAfterSeconds);
  };
}

function toRequest(subject: LimitedSubject, limits: RequestLimits): { key: string; limit: number } {
  if ('keyId' in subject) return { key: `api:${subject.keyId}`, limit: limits.perKey[subject.keyType] };
  if ('failedClient' in subject) return { key: `auth:${subject.failedClient}`, limit: limits.failedPerClient };
  return { key: `public:${subject.publicClient}`, limit: limits.publicPerClient };
}
