import type { RequestHandler } from 'express';
import { histogram, withLogFields, type Logger } from '@chainwatch/telemetry';

const requestSeconds = histogram('chainwatch_http_request_seconds', {
  description: 'From the head of a request to the end of its answer, by route.',
});

/** Adds the request's id to each of its log lines, measures its time, and logs its end at level debug. */
export function recordRequests(logger: Pick<Logger, 'debug'>): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    const requestId = String(res.locals.requestId);
    res.once('close', () => {
      const durationMs = performance.now() - startedAt;
      const route = (req.route as { path?: string } | undefined)?.path ?? 'none';
      requestSeconds.record(durationMs / 1_000, { method: req.method, route, status: res.statusCode });
      // Without the query, which may contain confidential values.
      const path = req.originalUrl.split('?', 1)[0]!.slice(0, 512);
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
    withLogFields({ request_id: requestId }, next);
  };
}
