import express from 'express';
import type { Express } from 'express';
import type { Cache } from '@chainwatch/cache';
import { checkUrl, jsonBody, mountRoutes, problemErrors, requestId, routeNotFound, securityHeaders } from '@chainwatch/http';
import type { KeyStore } from '@chainwatch/key-store';
import type { ApiDeps } from './api-deps.ts';
import { authenticate, authorize } from './auth/authenticate.ts';
import { createLimit } from './auth/limit-requests.ts';
import type { RequestLimits } from './auth/limit-requests.ts';
import { serveDocuments } from './openapi/serve-documents.ts';
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
  readonly logger: { error(fields: object, message: string): void };
  /** Proves every reply against its schema: on in tests. */
  readonly checkReplies?: boolean;
}

const bodyLimitBytes = 262_144;

/** The platform API as an Express app under /v1, with its documents beside it. */
export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', options.trustedProxies);
  app.use(requestId(), securityHeaders());
  const { namespaceLabel, version } = options.deps.settings;
  app.use(serveDocuments({ namespaceLabel, version: version.version }));
  const limit = createLimit(options.cache, options.limits);
  app.use('/v1', authenticate({ keys: options.keys, namespaceLabel, limit }));
  app.use(checkUrl(), ...jsonBody({ limitBytes: bodyLimitBytes }));
  app.use('/v1', mountRoutes(routeTable, { deps: options.deps, authorize, checkReplies: options.checkReplies }));
  app.use(
    routeNotFound,
    problemErrors({
      uris: { docsUrl: options.docsUrl, apiHost: options.apiHost },
      translate: translateError,
      onUnexpected: (err, context) => options.logger.error({ err, ...context }, 'a request failed unexpectedly'),
    }),
  );
  return app;
}
