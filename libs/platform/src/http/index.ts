// SPDX-License-Identifier: Apache-2.0
/**
 * Express middleware and the route table of the HTTP services: parsed requests in, problem+json out. Knows no chain and
 * no app. Used by api-gateway and rpc-proxy.
 *
 * @example
 * const defineRoute = routeFactory<Deps, Principal, Permission>();
 * const route = defineRoute({ method: 'GET', path: '/things/:id', permission: 'thing:read', summary: 'One thing', params, responses: { 200: thing }, handle });
 * app.use(recordRequests(logger), checkUrl(), jsonBody({ limitBytes: 262_144 }));
 * app.use('/v1', mountRoutes([route], { deps, authorizerOf }), routeNotFound, problemErrors({ uris, onUnexpected }));
 */
export { recordRequests } from './record-requests.ts';
export { checkUrl, jsonBody, jsonBytes, parseItemsBytes } from './read-request.ts';
export { streamBody } from './stream-body.ts';
export { routeFactory } from './route.ts';
export type {
  DefineRoute,
  Method,
  ReplyCookie,
  Route,
  RouteReply,
  RouteRequest,
  RouteSchemas,
} from './route.ts';
export { buildExample, createSchemaBook, type JsonSchema, type SchemaBook } from './schema-book.ts';
export { cookieNameOf, mountRoutes, setCookie } from './mount-routes.ts';
export type { RouteCall } from './mount-routes.ts';
export { problemErrors, routeNotFound } from './problem-errors.ts';
export {
  booleanParameter,
  integerParameter,
  listParameter,
  offsetOf,
  pageParameters,
  pageSchema,
  sortParameter,
  toPage,
  type Page,
  type PageRequest,
} from './page.ts';
export { startHttpServer } from './start-http-server.ts';
export type { HttpServer } from './start-http-server.ts';
