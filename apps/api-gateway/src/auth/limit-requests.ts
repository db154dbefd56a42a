// SPDX-License-Identifier: Apache-2.0
import type { Request, RequestHandler, Response } from 'express';
import type { ApiKeyType } from '@chainwatch/common/api-key';
import { findClient, TokenLedger } from '@chainwatch/platform/cache';
import type { Cache, TokenResult } from '@chainwatch/platform/cache';
import { tooManyRequests } from '@chainwatch/common/problem';

/** Requests per 60 seconds. */
export interface RequestLimits {
  /** Per key, by its type (decisions.md §8). */
  readonly perKey: Readonly<Record<ApiKeyType, number>>;
  /** Failed authentications per client address. */
  readonly failedPerClient: number;
  /** Requests that need no key, per client address. */
  readonly publicPerClient: number;
}

/** What a request is counted against: its key, or its client, which failed to authenticate or needed no key. */
export type LimitedSubject =
  | { readonly keyId: string; readonly keyType: ApiKeyType }
  | { readonly failedClient: string }
  | { readonly publicClient: string };
/** Returns a promise only if the shared counter must be asked. @throws ProblemError 429 */
export type Limit = (res: Response, subject: LimitedSubject) => Promise<void> | undefined;

const WINDOW_SECONDS = 60;

/**
 * Takes one request from the key's limit, or from the client's limit of failures, and writes what is left into the
 * response.
 */
export function createLimit(cache: Pick<Cache, 'consumeToken'>, limits: RequestLimits): Limit {
  const ledger = new TokenLedger({ consumeToken: (request) => cache.consumeToken(request) });
  return (res, subject) => {
    // Strangers are counted one by one in the shared counter, because each comes from another address.
    const taken =
      'keyId' in subject
        ? ledger.take(toRequest(subject, limits))
        : cache.consumeToken(toRequest(subject, limits));
    if (taken instanceof Promise) return taken.then((result) => apply(res, result));
    apply(res, taken);
    return undefined;
  };
}

function apply(res: Response, result: TokenResult): void {
  res.setHeader('X-RateLimit-Limit', result.limit);
  res.setHeader('X-RateLimit-Remaining', result.remaining);
  res.setHeader('X-RateLimit-Reset', result.resetAt);
  if (!result.allowed) throw tooManyRequests(result.retryAfterSeconds);
}

function toRequest(
  subject: LimitedSubject,
  limits: RequestLimits,
): { key: string; limit: number; windowSeconds: number } {
  if ('keyId' in subject)
    return {
      // A management key that acts on a project has two limits.
      key: `${subject.keyType}:${subject.keyId}`,
      limit: limits.perKey[subject.keyType],
      windowSeconds: WINDOW_SECONDS,
    };
  if ('failedClient' in subject)
    return {
      key: `auth:${subject.failedClient}`,
      limit: limits.failedPerClient,
      windowSeconds: WINDOW_SECONDS,
    };
  return {
    key: `public:${subject.publicClient}`,
    limit: limits.publicPerClient,
    windowSeconds: WINDOW_SECONDS,
  };
}

/** Counts requests that need no key against their client: everything outside of `/v1`, where the key is charged. */
export function limitPublic(limit: Limit): RequestHandler {
  return (req, res, next) => {
    if (/^\/v1(?:[/?]|$)/i.test(req.originalUrl)) return next();
    return Promise.resolve(limit(res, { publicClient: clientOf(req) })).then(() => next());
  };
}

/** The client that a request without a key counts against, as far as the proxies in front are trusted. */
export function clientOf({ ip, socket }: Pick<Request, 'ip' | 'socket'>): string {
  return findClient(ip) ?? findClient(socket.remoteAddress) ?? 'unknown';
}
