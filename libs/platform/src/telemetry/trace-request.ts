// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isTracing, withSpan } from './tracing.ts';

/**
 * Handles a request in a span that lasts to the end of its answer and continues the caller's trace, if spans are recorded
 * (OpenTelemetry's conventions for HTTP servers). `readRoute` is asked at the end; without `path` the span tells none.
 */
export function traceRequest(
  req: IncomingMessage,
  res: ServerResponse,
  { path, readRoute, handle }: { path?: string; readRoute: () => string | undefined; handle: () => void },
): void {
  if (!isTracing()) return handle();
  const { method = 'GET', headers } = req;
  const attributes = {
    'http.request.method': method,
    'url.path': path,
    'user_agent.original': headers['user-agent']?.slice(0, 256),
  };
  const traceparent = headers['traceparent'] as string | undefined;
  void withSpan(method, { kind: 'server', traceparent, attributes }, async (span) => {
    const closed = new Promise<void>((resolve) => void res.once('close', () => resolve()));
    handle();
    await closed;
    const route = readRoute();
    if (route !== undefined) span.rename(`${method} ${route}`);
    span.setAttributes({ 'http.route': route, 'http.response.status_code': res.statusCode });
    if (res.statusCode >= 500) span.fail(String(res.statusCode));
  });
}
