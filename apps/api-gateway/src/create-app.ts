// SPDX-License-Identifier: Apache-2.0
import express, { Router, type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Cache } from '@chainwatch/platform/cache';
import {
  checkUrl,
  jsonBody,
  jsonBytes,
  mountRoutes,
  problemErrors,
  recordRequests,
  routeNotFound,
  streamBody,
} from '@chainwatch/platform/http';
import type { KeyStore } from '@chainwatch/data/key-store';
import type { ApiDeps } from './api-deps.ts';
import { authenticate, authorizerOf } from './auth/authenticate.ts';
import { createPortalFinder, findFrameOrigins } from './auth/find-portal.ts';
import { createSessionFinder } from './auth/find-session.ts';
import { createLimit, limitPublic, type Limit, type RequestLimits, clientOf } from './auth/limit-requests.ts';
import { limitBulkCalls } from './bulk/limit-bulk-calls.ts';
import { carryOutOnce } from './idempotency/carry-out-once.ts';
import { serveConsent } from './channels/serve-consent.ts';
import type { OidcSettings } from './oidc/oidc-client.ts';
import { serveOidc } from './oidc/serve-oidc.ts';
import { serveDocuments } from './openapi/serve-documents.ts';
import { chooseServer } from './reads/choose-server.ts';
import type { Standby } from './reads/open-standby.ts';
import { routeTable } from './route-table.ts';
import { serveCommand } from './ui/serve-command.ts';
import { serveDashboard } from './ui/serve-dashboard.ts';
import { serveLogos } from './ui/serve-logos.ts';
import { serveSite } from './ui/serve-site.ts';
import { serveStatementKeys } from './statements/serve-statement-keys.ts';
import { runForOwner } from './server/request-owner.ts';
import { translateError } from './server/translate-error.ts';
import cors from 'cors';

export interface AppOptions {
  readonly deps: ApiDeps;
  readonly keys: KeyStore;
  readonly cache: Pick<Cache, 'consumeToken' | 'holdSlot' | 'freeSlot' | 'noteWrite' | 'mayHaveWritten'>;
  /** What lists are read from in place of the primary. */
  readonly standby?: Standby | undefined;
  readonly limits: RequestLimits;
  /** Roots of the problem types (decisions.md 1.7). */
  readonly docsUrl: string;
  readonly apiHost: string;
  /** Number of trusted proxies in front: so many entries of X-Forwarded-For are believed. */
  readonly trustedProxies: number;
  /** Origins whose web pages may call the API; `*`: any. */
  readonly corsOrigins: readonly string[];
  /** Through whom members sign in to the dashboard; none: keys alone do. */
  readonly oidc?: OidcSettings | undefined;
  /** Where the dashboard's files are; none: it is not served. */
  readonly dashboardFolder?: string;
  /** Logos of networks. */
  readonly logosFolder?: string;
  /** Where the documentation's files are, or will be; none: it is not served. */
  readonly docsFolder?: string;
  /** The package of the command; none: it is not served. */
  readonly commandFile?: string;
  /** Longest time for a handler. */
  readonly requestTimeoutMs: number;
  readonly logger: Record<'error' | 'debug', (fields: object, message: string) => void>;
  /** Checks every reply against its schema; on in tests. */
  readonly checkReplies?: boolean;
}

const BODY_LIMIT_BYTES = 262_144;
/** For an API that must not be framed, sniffed or cached in between. */
const SECURITY_HEADERS = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  xFrameOptions: { action: 'deny' },
  // Browsers accept it over TLS only, which a proxy in front provides.
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
} as const;

/** The platform API as an Express app under /v1, with its documents beside it. */
export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // No answer has a validator, so none may be reported as not modified.
  Object.defineProperty(app.request, 'fresh', { value: false });
  app.set('query parser', 'simple');
  app.set('trust proxy', options.trustedProxies);
  const limit = createLimit(options.cache, options.limits);
  const readBody = [checkUrl(), jsonBody({ limitBytes: BODY_LIMIT_BYTES })];
  app.use(
    recordRequests(options.logger),
    helmet(SECURITY_HEADERS),
    forbidStorage,
    ...(options.corsOrigins.length === 0 ? [] : [crossOrigin({ origins: options.corsOrigins, limit })]),
    limitPublic(limit),
  );
  const { namespaceLabel } = options.deps.settings;
  const readOrWrite = chooseServer({ standby: options.standby, writes: options.cache });
  const routes = mountRoutes(routeTable, {
    deps: options.deps,
    authorizerOf,
    around: (call) => runForOwner(call.principal.workspaceId, () => readOrWrite(call, carryOutOnce)),
    deadlineMs: options.requestTimeoutMs,
    checkReplies: options.checkReplies,
  });
  app.use(
    '/v1',
    Router().use(
      authenticate({
        keys: options.keys,
        findSession: createSessionFinder({ ...options.deps, issuer: options.oidc?.issuer }),
        findPortal: createPortalFinder(options.deps.db),
        namespaceLabel,
        limit,
      }),
      readBytes(options.cache),
      readBody,
      routes,
      routeNotFound,
    ),
  );
  app.use(
    ...servePages(options, limit),
    readBody,
    routeNotFound,
    problemErrors({
      uris: { docsUrl: options.docsUrl, apiHost: options.apiHost },
      translate: translateError,
      onUnexpected: (err, { requestId: request_id, method, path }) =>
        options.logger.error({ err, request_id, method, path }, 'a request failed unexpectedly'),
    }),
  );
  return app;
}

/** What people and their browsers read, without a key. */
function servePages({ deps, oidc, ...folders }: AppOptions, limit: Limit): RequestHandler[] {
  const { namespaceLabel, publicUrl, rpcUrl, playgroundUrl } = deps.settings;
  return [
    serveDocuments({ namespaceLabel, publicUrl }),
    serveStatementKeys(deps),
    serveConsent(deps),
    serveOidc({ settings: oidc, deps, limit }),
    serveDashboard(folders.dashboardFolder, {
      called: [rpcUrl, playgroundUrl],
      findFrameOrigins: (id) => findFrameOrigins(deps.db, id),
      issuer: oidc?.issuer,
    }),
    serveLogos(folders.logosFolder),
    serveSite(folders.docsFolder),
    serveCommand(folders.commandFile),
  ];
}

/** Bodies that handlers read or parse. Routes with a large one have a limit of their own, and of calls at once. */
function readBytes(slots: AppOptions['cache']): RequestHandler {
  const router = Router({ caseSensitive: true });
  for (const route of routeTable.filter(({ readsBytes: isRead }) => isRead)) {
    const { largeBodyBytes: limitBytes = BODY_LIMIT_BYTES } = route;
    const isLarge = route.largeBodyBytes !== undefined;
    router[route.method.toLowerCase() as 'post'](
      route.path,
      checkUrl(),
      ...(isLarge ? [limitBulkCalls({ authorize: authorizerOf(route), slots })] : []),
      jsonBytes({ limitBytes }),
    );
  }
  for (const route of routeTable) {
    if (route.streamedBody === undefined) continue;
    const authorize = authorizerOf(route);
    const refuse: RequestHandler = (_req, res, next) => {
      authorize(res);
      next();
    };
    router.post(route.path, checkUrl(), refuse, streamBody(route.streamedBody));
  }
  // A router answers OPTIONS by itself, with what it knows.
  return (req, res, next) => (req.method === 'OPTIONS' ? next() : router(req, res, next));
}

const forbidStorage: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'no-store');
  next();
};

interface CrossOriginOptions {
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
function crossOrigin({ origins, limit }: CrossOriginOptions): RequestHandler {
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
