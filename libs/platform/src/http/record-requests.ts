// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { counter, histogram, traceRequest, withLogFields, type Logger } from '../telemetry/index.ts';

const ACCEPTED_ID = /^[A-Za-z0-9._:-]{1,128}$/;

// What tells routes apart are two numbers a route: a histogram of each route and status would be thousands of series.
const requestSeconds = histogram('chainwatch_http_request_seconds', {
  description: 'From the head of a request to the end of its answer, by class of status.',
});
const requests = counter('chainwatch_http_requests_total', {
  description: 'Requests that were answered, by route and class of status.',
});
const routeSeconds = counter('chainwatch_http_route_seconds_total', {
  description: 'What the requests of a route took together.',
});

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Gives each request its id, adds it to the request's log lines, measures its time, and logs its end at level debug.
 * Every response carries the id as X-Request-Id: the client's own when it is a plain token, else a new UUID.
 */
export function recordRequests(logger: Pick<Logger, 'debug'>): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    const given = req.get('x-request-id');
    const requestId = given !== undefined && ACCEPTED_ID.test(given) ? given : randomUUID();
    res.locals.requestId = requestId;
    res.setHeader('X-Request-Id', requestId);
    // Without the query, which may contain confidential values.
    const path = req.originalUrl.split('?', 1)[0]!.slice(0, 512);
    res.once('close', () => {
      const durationMs = performance.now() - startedAt;
      measure(req, res.statusCode, durationMs / 1_000);
      logger.debug(
        {
          request_id: requestId,
          method: req.method,
          path,
          status: res.statusCode,
          duration_ms: Math.round(durationMs),
        },
        'a request was answered',
      );
    });
    traceRequest(req, res, {
      path,
      readRoute: () => routeOf(req),
      handle: () => withLogFields({ request_id: requestId }, next),
    });
  };
}

/** A client chooses neither how many methods there are, nor which one stands beside which route. */
function measure(req: Request, statusCode: number, seconds: number): void {
  const status = `${Math.floor(statusCode / 100)}xx`;
  const asked = req.method === 'HEAD' ? 'GET' : req.method;
  const method = METHODS.has(asked) ? asked : 'other';
  const route = statusCode === 405 ? 'none' : (routeOf(req) ?? 'none');
  requestSeconds.record(seconds, { status });
  requests.add(1, { method, route, status });
  routeSeconds.add(seconds, { method, route });
}

function routeOf(req: Request): string | undefined {
  const path = (req.route as { path?: string | RegExp } | undefined)?.path;
  return path === undefined ? undefined : String(path);
}
