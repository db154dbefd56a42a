import express from 'express';
import type { Request, RequestHandler, Response, Router } from 'express';
import { methodNotAllowed } from '@chainwatch/problem';
import { answerInTime } from './answer-in-time.ts';
import { parseRequest } from './parse-request.ts';
import type { Method, Route, RouteReply } from './route.ts';

export interface MountOptions<Deps, Principal> {
  readonly deps: Deps;
  /** Proves that the caller may use the route, and returns who it is. @throws ProblemError 401 or 403 */
  readonly authorize: (res: Response, route: Route<Deps, Principal>) => Principal;
  /** Stands around the handler of each request that was parsed and authorized; default: calls it. */
  readonly around?: (call: RouteCall<Deps, Principal>) => Promise<RouteReply>;
  /** Longest wait for a handler, in milliseconds; then the answer is 503. */
  readonly deadlineMs: number;
  /** Proves each reply against its schema: on in tests, off in production. */
  readonly checkReplies?: boolean;
}

export interface RouteCall<Deps, Principal> {
  readonly route: Route<Deps, Principal>;
  readonly req: Request;
  readonly res: Response;
  readonly principal: Principal;
  readonly deps: Deps;
  /** Calls the handler. */
  run(deps: Deps): Promise<RouteReply>;
}

/** A router over a route table: parses, authorizes, calls, answers; 405 with Allow for other methods of a known path. */
export function mountRoutes<Deps, Principal>(routes: readonly Route<Deps, Principal>[], options: MountOptions<Deps, Principal>): Router {
  const router = express.Router({ caseSensitive: true });
  // Static paths first, so that `/addresses/hd` is never taken for an address.
  for (const [path, group] of [...groupByPath(routes)].sort(([a], [b]) => parameterCount(a) - parameterCount(b))) {
    for (const route of group) register(router, route, toHandler(route, options));
    const methods = group.map((route) => route.method);
    router.all(path, (_req, _res, next) => next(methodNotAllowed(methods.includes('GET') ? [...methods, 'HEAD'] : methods)));
  }
  return router;
}

function groupByPath<R extends { path: string }>(routes: readonly R[]): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const route of routes) groups.set(route.path, [...(groups.get(route.path) ?? []), route]);
  return groups;
}

function parameterCount(path: string): number {
  return path.split('/:').length - 1;
}

function register(router: Router, route: { method: Method; path: string }, handler: RequestHandler): void {
  switch (route.method) {
    case 'GET':
      return void router.get(route.path, handler);
    case 'POST':
      return void router.post(route.path, handler);
    case 'PATCH':
      return void router.patch(route.path, handler);
    case 'PUT':
      return void router.put(route.path, handler);
    case 'DELETE':
      return void router.delete(route.path, handler);
  }
}

function toHandler<Deps, Principal>(route: Route<Deps, Principal>, options: MountOptions<Deps, Principal>) {
  return async (req: Request, res: Response): Promise<void> => {
    const principal = options.authorize(res, route);
    const parsed = parseRequest(route.schemas, req);
    const requestId = String(res.locals.requestId);
    const reply = await answerInTime(res, options.deadlineMs, (signal) => {
      const run = (deps: Deps): Promise<RouteReply> => route.handle({ ...parsed, principal, requestId, signal }, deps);
      return options.around ? options.around({ route, req, res, principal, deps: options.deps, run }) : run(options.deps);
    });
    if (options.checkReplies) checkReply(route, reply.status, reply.body);
    if (reply.body === undefined) res.status(reply.status).end();
    else res.status(reply.status).json(reply.body);
  };
}

function checkReply<Deps, Principal>(route: Route<Deps, Principal>, status: number, body: unknown): void {
  if (!(status in route.schemas.responses)) throw new Error(`${route.method} ${route.path} answered ${status}, which it does not declare`);
  route.schemas.responses[status]?.parse(body);
}
