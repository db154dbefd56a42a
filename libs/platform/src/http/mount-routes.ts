// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream';
import { Router } from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { methodNotAllowed, serviceUnavailable } from '@chainwatch/common/problem';
import { parseRequest } from './read-request.ts';
import type { Method, ReplyCookie, Route, RouteReply } from './route.ts';

export interface MountOptions<Deps, Principal, Permission> {
  readonly deps: Deps;
  /** Checks that the caller may use the route, and returns the caller. @throws ProblemError 401 or 403 */
  readonly authorizerOf: (route: Route<Deps, Principal, Permission>) => (res: Response) => Principal;
  /** Wraps the handler of each request that was parsed and authorized; default: calls it. */
  readonly around?: (call: RouteCall<Deps, Principal, Permission>) => Promise<RouteReply>;
  /** Longest time for a handler, in milliseconds; then the answer is 503. */
  readonly deadlineMs: number;
  /** Checks each reply against its schema: on in tests, off in production. */
  readonly checkReplies?: boolean;
}

export interface RouteCall<Deps, Principal, Permission = unknown> {
  readonly route: Route<Deps, Principal, Permission>;
  readonly req: Request;
  readonly res: Response;
  readonly principal: Principal;
  /** Parsed. */
  readonly query: unknown;
  readonly deps: Deps;
  /** Calls the handler. */
  run(deps: Deps): Promise<RouteReply>;
}

/**
 * A router for the routes of a table: parses, authorizes, calls the handler and answers. Other methods of a known path
 * get 405 with Allow.
 */
export function mountRoutes<Deps, Principal, Permission>(
  routes: readonly Route<Deps, Principal, Permission>[],
  options: MountOptions<Deps, Principal, Permission>,
): RequestHandler {
  const router = Router({ caseSensitive: true });
  // The first match is taken: `/addresses/hd` must stand before `/addresses/:address`.
  const paths = [...new Set(routes.map(({ path }) => path))].sort((one, other) =>
    sortKeyOf(one) < sortKeyOf(other) ? -1 : 1,
  );
  for (const path of paths) {
    const mounted = router.route(path);
    const methods: Method[] = [];
    for (const route of routes.filter((one) => one.path === path)) {
      mounted[METHOD_NAMES[route.method]](toHandler(route, options));
      methods.push(route.method);
    }
    const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
    mounted.all((_req, _res, next) => next(methodNotAllowed(allowed)));
  }
  return router;
}

const JSON_TYPE = 'application/json';
const METHOD_NAMES = { GET: 'get', POST: 'post', PATCH: 'patch', PUT: 'put', DELETE: 'delete' } as const;

/** Sorts parameters after every fixed segment. */
function sortKeyOf(path: string): string {
  return path.replaceAll(':', '\uffff');
}

function toHandler<Deps, Principal, Permission>(
  route: Route<Deps, Principal, Permission>,
  options: MountOptions<Deps, Principal, Permission>,
) {
  const authorize = options.authorizerOf(route);
  return async (req: Request, res: Response): Promise<void> => {
    const principal = authorize(res);
    const { streamedBody } = route;
    const { params, query, body, headers } = parseRequest(
      route.schemas,
      req,
      route.readsBytes === true || streamedBody !== undefined,
    );
    const bytes = route.readsBytes === true ? (req.body as Buffer) : undefined;
    const stream = streamedBody && (req.body as Readable);
    const contentType = streamedBody && req.headers['content-type']!.split(';', 1)[0]!.trim().toLowerCase();
    const mediaType = pickMediaType(route, req);
    const requestId = String(res.locals.requestId);
    const work = (lazy: LazySignal): Promise<RouteReply> => {
      const request = {
        params,
        query,
        body,
        bytes,
        stream,
        contentType,
        headers,
        mediaType,
        principal,
        requestId,
        get origin() {
          return `${req.protocol}://${req.host}`;
        },
        get signal() {
          return lazy.signal;
        },
      };
      const run = (deps: Deps): Promise<RouteReply> => route.handle(request, deps);
      return options.around
        ? options.around({ route, req, res, principal, query, deps: options.deps, run })
        : run(options.deps);
    };
    const reply = await answerInTime(res, {
      deadlineMs: streamedBody?.deadlineMs ?? options.deadlineMs,
      work,
      dropped: (late) => dropReply(res, late),
    });
    if (options.checkReplies) checkReply(route, reply);
    await sendReply(req, res, reply);
  };
}

/** JSON where the client does not care, or wants what the route does not have. */
function pickMediaType<Deps, Principal, Permission>(
  { mediaType = JSON_TYPE, alternatives = {} }: Route<Deps, Principal, Permission>,
  req: Request,
): string {
  const others = Object.keys(alternatives);
  return (others.length > 0 && req.accepts([mediaType, ...others])) || mediaType;
}

async function sendReply(
  req: Request,
  res: Response,
  { status, body, headers = {}, location, cookie, stream }: RouteReply,
): Promise<void> {
  res.statusCode = status;
  if (location !== undefined) res.setHeader('Location', encodeURI(`${req.baseUrl}${location}`));
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (cookie !== undefined) setCookie(req, res, cookie);
  if (stream !== undefined) {
    if (req.method === 'HEAD') res.end();
    return stream(res);
  }
  if (body === undefined) return void res.end();
  const text = Buffer.isBuffer(body) ? body : JSON.stringify(body);
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}

/** Its stream gives back what the handler took for it, once the 503 is out. Nobody is left to be told of a failure. */
function dropReply(res: Response, { stream }: RouteReply): void {
  if (stream === undefined) return;
  const tidyUp = (): void => void stream(res).catch(() => undefined);
  if (res.destroyed) tidyUp();
  else res.once('close', tidyUp);
}

export function setCookie(
  { secure }: Pick<Request, 'secure'>,
  res: Pick<Response, 'cookie'>,
  { name, value, path, maxAgeMs, isForArrivals = false }: ReplyCookie,
): void {
  res.cookie(cookieNameOf(name, secure), value, {
    path: secure ? '/' : path,
    maxAge: maxAgeMs,
    httpOnly: true,
    sameSite: isForArrivals ? 'lax' : 'strict',
    secure,
  });
}

/**
 * Under this prefix a browser takes a cookie over TLS and from this very host alone: a page of a neighboring one cannot
 * slip in its own (https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Set-Cookie#cookie_prefixes).
 */
export function cookieNameOf(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

function checkReply<Deps, Principal, Permission>(
  route: Route<Deps, Principal, Permission>,
  { status, body, stream }: RouteReply,
): void {
  if (!(status in route.schemas.responses))
    throw new Error(`${route.method} ${route.path} answered ${status}, which it does not declare`);
  if (stream === undefined)
    route.schemas.responses[status]?.parse(Buffer.isBuffer(body) ? JSON.parse(body.toString('utf8')) : body);
}

/** The signal of a handler, created only when the handler reads it. */
interface LazySignal {
  readonly signal: AbortSignal;
}

/**
 * Settles as `work` does, or with 503 if that takes too long. `work` is told by its signal, also if the client leaves; what
 * it resolves to after that goes to `dropped`.
 */
function answerInTime<T>(
  res: Response,
  {
    deadlineMs,
    work,
    dropped,
  }: {
    readonly deadlineMs: number;
    readonly work: (lazy: LazySignal) => Promise<T>;
    readonly dropped: (late: T) => void;
  },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const lazy = new ClientSignal(res);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(
        serviceUnavailable(
          `The request took longer than ${deadlineMs / 1_000} s; it may still be carried out.`,
          { retryAfterSeconds: 1 },
        ),
      );
      lazy.abort(new Error('the request took too long'));
    }, deadlineMs);
    work(lazy).then(
      (value) => {
        clearTimeout(timer);
        if (isLate) dropped(value);
        else resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

class ClientSignal implements LazySignal {
  readonly #res: Response;
  #controller: AbortController | undefined;
  #reason: Error | undefined;

  constructor(res: Response) {
    this.#res = res;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) this.#controller = this.#listen(new AbortController());
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#reason ??= reason;
    this.#controller?.abort(reason);
  }

  #listen(controller: AbortController): AbortController {
    const res = this.#res;
    if (this.#reason !== undefined) controller.abort(this.#reason);
    else if (res.destroyed && !res.writableFinished) controller.abort(GONE);
    else res.once('close', () => !res.writableFinished && controller.abort(GONE));
    return controller;
  }
}

const GONE = new Error('the client closed the connection');
