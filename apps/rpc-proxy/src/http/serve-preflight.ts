// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type KeyLimits, pushLimitHeaders, tooMany } from '../limits/key-limits.ts';
import { clientOf } from './client-request.ts';
import type { CrossOrigin } from './cross-origin.ts';

export interface PreflightOptions {
  readonly limits: Pick<KeyLimits, 'takePublic'>;
  readonly crossOrigin: CrossOrigin;
  readonly trustedProxies: number;
}

/**
 * Answers a browser's preflight. It carries no key, so it counts against the client's address.
 * @returns false if it is no preflight, or its origin may not call
 */
export function createPreflightListener({
  limits,
  crossOrigin,
  trustedProxies,
}: PreflightOptions): (req: IncomingMessage, res: ServerResponse) => boolean {
  return (req, res) => {
    const { origin, 'access-control-request-method': method } = req.headers;
    const headers =
      origin === undefined || method === undefined ? undefined : crossOrigin.preflightFor(origin);
    if (headers === undefined) return false;
    req.resume();
    void Promise.resolve(limits.takePublic(clientOf(req, trustedProxies))).then((limit) => {
      const body = limit.allowed ? '' : JSON.stringify({ error: tooMany(limit) });
      const more = limit.allowed
        ? [...headers]
        : [
            ...crossOrigin.headersFor(origin!)!,
            'Content-Type',
            'application/json',
            'Content-Length',
            String(body.length),
          ];
      pushLimitHeaders(more, limit);
      res.writeHead(limit.allowed ? 204 : 429, more).end(body);
    });
    return true;
  };
}
