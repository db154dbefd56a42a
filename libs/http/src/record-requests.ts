import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { histogram, withLogFields, type Logger } from '@chainwatch/telemetry';
import { traceRequest } from './trace-request.ts';

const ACCEPTED_ID = /^[A-Za-z0-9._:-]{1,128}$/;

const requestSeconds = histogram('chainwatch_http_request_seconds', {
  description: 'From the head of a request to the end of its answer, by route.',
});

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
      const route = routeOf(req) ?? 'none';
      requestSeconds.record(durationMs / 1_000, { method: req.method, route, status: res.statusCode });
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

function routeOf(req: Request): string | undefined {
  return (req.route as { path?: string } | undefined)?.path;
}
