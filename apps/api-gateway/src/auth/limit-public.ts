import type { RequestHandler } from 'express';
import { clientOf } from './client-of.ts';
import type { Limit } from './limit-requests.ts';

/** Counts requests that need no key against their client: everything outside of `/v1`, where the key is charged. */
export function limitPublic(limit: Limit): RequestHandler {
  return (req, res, next) => {
    if (/^\/v1(?:[/?]|$)/i.test(req.originalUrl)) return next();
    return Promise.resolve(limit(res, { publicClient: clientOf(req) })).then(() => next());
  };
}
