import express from 'express';
import type { Express } from 'express';
import type { Cache } from '@chainwatch/cache';
import {
  checkUrl,
  crossOrigin,
  inOrder,
  jsonBody,
  mountRoutes,
  problemErrors,
  requestId,
  routeNotFound,
  securityHeaders,
} from '@chainwatch/http';
import type { KeyStore } from '@chainwatch/key-store';
import type { ApiDeps } from './api-deps.ts';
import { authenticate, authorizerOf } from './auth/authenticate.ts';
import { clientOf } from './auth/client-of.ts';
import { limitPublic } from './auth/limit-public.ts';
import { createLimit } from './auth/limit-requests.ts';
import type { RequestLimits } from './auth/limit-requests.ts';
import { carryOutOnce } from './idempotency/carry-out-once.ts';
import { serveDocuments } from './openapi/serve-documents.ts';
import { recordRequests } from './record-requests.ts';
import { routeTable } from './route-table.ts';
import { translateError } from './translate-error.ts';

export interface AppOptions {
  readonly deps: ApiDeps;
  readonly keys: KeyStore;
  readonly cache: Pick<Cache, 'consumeToken'>;
  readonly limits: RequestLimits;
  /** Roots of the problem types (decisions.md 1.7). */
  readonly docsUrl: string;
  readonly apiHost: string;
  /** Proxies in front whose X-Forwarded-For is believed: a number of hops. */
  readonly trustedProxies: number;
  /** Web pages of these origins may call the API; `*`: of any. */
  readonly corsOrigins: readonly string[];
  /** Longest wait for a handler. */
  readonly requestTimeoutMs: number;
  readonly logger: Record<'error' | 'debug', (fields: object, message: string) => void>;
  /** Proves every reply against its schema: on in tests. */
  readonly checkReplies?: boolean;
}

const bodyLimitBytes = 262_144;
/** What a page may send, and what it may see of an answer beside the body. */
const browserClients = {
  methods: ['GET', 'POST', 'PATCH', 'DELETE'],
  requestHeaders: ['X-Api-Key', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'],
  exposedHeaders: [
    'X-Request-Id',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'Retry-After',
    'Idempotency-Replayed',
    'Allow',
  ],
};

/** The platform API as an Express app under /v1, with its documents beside it. */
export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // No answer has a validator, so none can be called unchanged.
  Object.defineProperty(app.request, 'fresh', { value: false });
  app.set('query parser', 'simple');
  app.set('trust proxy', options.trustedProxies);
  const limit = createLimit(options.cache, options.limits);
  const readBody = inOrder(checkUrl(), jsonBody({ limitBytes: bodyLimitBytes }));
  app.use(
    inOrder(
      requestId(),
      recordRequests(options.logger),
      securityHeaders(),
      crossOrigin({
        origins: options.corsOrigins,
        ...browserClients,
        beforePreflight: (req, res) => limit(res, { publicClient: clientOf(req) }),
      }),
      limitPublic(limit),
    ),
  );
  const { namespaceLabel } = options.deps.settings;
  const routes = mountRoutes(routeTable, {
    deps: options.deps,
    authorizerOf,
    around: carryOutOnce,
    deadlineMs: options.requestTimeoutMs,
    checkReplies: options.checkReplies,
  });
  app.use(
    '/v1',
    inOrder(authenticate({ keys: options.keys, namespaceLabel, limit }), readBody, routes, routeNotFound),
  );
  app.use(serveDocuments({ namespaceLabel }));
  app.use(
    inOrder(readBody, routeNotFound),
    problemErrors({
      uris: { docsUrl: options.docsUrl, apiHost: options.apiHost },
      translate: translateError,
      onUnexpected: (err, { requestId: request_id, method, path }) =>
        options.logger.error({ err, request_id, method, path }, 'a request failed unexpectedly'),
    }),
  );
  return app;
}
