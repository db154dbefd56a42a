// SPDX-License-Identifier: Apache-2.0
import cors from 'cors';
import type { RequestHandler } from 'express';
import { clientOf } from '../auth/limit-requests.ts';
import type { Limit } from '../auth/limit-requests.ts';

export interface CrossOriginOptions {
  /** Origins whose pages may call, at least one: `*` stands for any. */
  readonly origins: readonly string[];
  readonly limit: Limit;
}

/** What a page may send, and which headers of an answer it may read. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const REQUEST_HEADERS = ['X-Api-Key', 'Content-Type', 'Idempotency-Key', 'X-Request-Id', 'Cache-Control'];
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotency-Replayed',
  'X-Data-As-Of',
  'Allow',
];

/**
 * Lets pages of other origins call. Mounted only where origins are given. Never with credentials, because the key travels in
 * a header that a page must set itself. A page that may not call gets the normal answer, which its browser hides from
 * it. A preflight carries no key, so it counts against its client.
 */
export function crossOrigin({ origins, limit }: CrossOriginOptions): RequestHandler {
  const isOpen = origins.includes('*');
  const answer = cors({
    origin: isOpen ? '*' : [...origins],
    methods: METHODS.join(', '),
    allowedHeaders: REQUEST_HEADERS.join(', '),
    exposedHeaders: EXPOSED_HEADERS.join(', '),
    maxAge: 600,
  });
  const admit: RequestHandler = async (req, res, next) => {
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    if (req.method === 'OPTIONS') await limit(res, { publicClient: clientOf(req) });
    answer(req, res, next);
  };
  return (req, res, next) => {
    if (!isOpen) res.vary('Origin');
    const origin = req.get('origin');
    const isAllowed = origin !== undefined && (isOpen || origins.includes(origin));
    return isAllowed ? admit(req, res, next) : next();
  };
}
