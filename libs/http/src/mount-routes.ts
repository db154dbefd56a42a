import type { Request, RequestHandler, Response } from 'express';
import { methodNotAllowed } from '@chainwatch/problem';
import { answerInTime } from './answer-in-time.ts';
import { parseRequest } from './parse-request.ts';
import { RouteTree } from './route-tree.ts';
import type { Route, RouteReply } from './route.ts';

export interface MountOptions<Deps, Principal> {
  readonly deps: Deps;
  /** Proves that the caller of a request may use the route, and returns who it is. @throws ProblemError 401 or 403 */
  readonly authorizerOf: (route: Route<Deps, Principal>) => (res: Response) => Principal;
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

interface Group {
  readonly path: string;
  readonly handlers: Map<string, (req: Request, res: Response) => Promise<void>>;
}

/** The handler of a route table: parses, authorizes, calls, answers; 405 with Allow for other methods of a known path. */
export function mountRoutes<Deps, Principal>(
  routes: readonly Route<Deps, Principal>[],
  options: MountOptions<Deps, Principal>,
): RequestHandler {
  const tree = new RouteTree<Group>();
  for (const group of groupByPath(routes, options)) tree.add(group.path, group);
  return (req, res, next) => {
    const found = tree.find(req.path);
    if (found === undefined) return next();
    const { path, handlers } = found.value;
    // For who writes down what was asked, as Express does it.
    req.route = { path };
    const handler = handlers.get(req.method === 'HEAD' ? 'GET' : req.method);
    if (handler === undefined)
      return next(
        methodNotAllowed(handlers.has('GET') ? [...handlers.keys(), 'HEAD'] : [...handlers.keys()]),
      );
    req.params = found.params;
    return handler(req, res);
  };
}

function groupByPath<Deps, Principal>(
  routes: readonly Route<Deps, Principal>[],
  options: MountOptions<Deps, Principal>,
): Iterable<Group> {
  const groups = new Map<string, Group>();
  for (const route of routes) {
    const group = groups.get(route.path) ?? { path: route.path, handlers: new Map() };
    group.handlers.set(route.method, toHandler(route, options));
    groups.set(route.path, group);
  }
  return groups.values();
}

function toHandler<Deps, Principal>(route: Route<Deps, Principal>, options: MountOptions<Deps, Principal>) {
  const authorize = options.authorizerOf(route);
  return async (req: Request, res: Response): Promise<void> => {
    const principal = authorize(res);
    const { params, query, body } = parseRequest(route.schemas, req);
    const requestId = String(res.locals.requestId);
    const reply = await answerInTime(res, options.deadlineMs, (lazy) => {
      const request = {
        params,
        query,
        body,
        principal,
        requestId,
        get signal() {
          return lazy.signal;
        },
      };
      const run = (deps: Deps): Promise<RouteReply> => route.handle(request, deps);
      return options.around
        ? options.around({ route, req, res, principal, deps: options.deps, run })
        : run(options.deps);
    });
    if (options.checkReplies) checkReply(route, reply.status, reply.body);
    sendReply(res, reply);
  };
}

function sendReply(res: Response, { status, body }: RouteReply): void {
  res.statusCode = status;
  if (body === undefined) return void res.end();
  const text = JSON.stringify(body);
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}

function checkReply<Deps, Principal>(route: Route<Deps, Principal>, status: number, body: unknown): void {
  if (!(status in route.schemas.responses))
    throw new Error(`${route.method} ${route.path} answered ${status}, which it does not declare`);
  route.schemas.responses[status]?.parse(body);
}
