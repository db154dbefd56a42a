// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** The input of a handler: everything parsed, nothing of Express. */
export interface RouteRequest<P, Q, B, H, Principal> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The body of a route with a large one or with items, unchecked; undefined in all others. */
  readonly bytes: Buffer | undefined;
  /** The body of a route with a streamed one, while it arrives. */
  readonly stream: Readable | undefined;
  /** The media type of the body of such a route. */
  readonly contentType: string | undefined;
  readonly headers: H;
  /** The media type that the client wants, of those that the route has. */
  readonly mediaType: string;
  /** The authenticated caller. */
  readonly principal: Principal;
  readonly requestId: string;
  /** The scheme and host that the client asked, as far as the proxies in front are trusted: `https://api.example.com`. */
  readonly origin: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

export interface RouteReply {
  readonly status: number;
  /** Sent as JSON, bytes as they are; absent for 204. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of what was created: a path of the same table. */
  readonly location?: string | undefined;
  readonly cookie?: ReplyCookie;
  /**
   * Writes the body in place of `body`, after the head; no deadline ends it. Where the answer is over by then (HEAD, a
   * client that left, a handler that took too long) it only tidies up. What it rejects with cuts the connection.
   */
  readonly stream?: (res: ServerResponse) => Promise<void>;
}

/** Set for the client's browser: no script reads it, and over TLS it stays there. */
export interface ReplyCookie {
  /** Over TLS with a prefix: `cookieNameOf`. */
  readonly name: string;
  readonly value: string;
  /** Over TLS every path. */
  readonly path: string;
  /** 0 removes it. */
  readonly maxAgeMs: number;
  /** Also sent when a page of another site leads here; default: no other site makes the browser send it. */
  readonly isForArrivals?: boolean;
}

/** The schemas of a route, for the router and the OpenAPI document. */
export interface RouteSchemas {
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Of headers that the route reads, by their names in lower case. */
  readonly headers?: z.ZodObject;
  /** Reply schemas by status; undefined: no content. */
  readonly responses: Readonly<Record<number, z.ZodType | undefined>>;
}

/** Statuses that depend on the current state, not on the form of the request. */
type ProblemStatus = 404 | 409 | 410 | 422 | 502;

/** A body that the handler reads while it arrives, with what it may be: text, by media type. */
export interface StreamedBody {
  readonly mediaTypes: Readonly<Record<string, z.ZodType>>;
  readonly limitBytes: number;
  /** Longest time for the request, in place of that of the mount. */
  readonly deadlineMs: number;
}

interface RouteHead<Permission> {
  readonly method: Method;
  /** Express path, `/blockchains/:chain_gid`. */
  readonly path: string;
  /** The permission that the caller needs; the mount's `authorizerOf` checks it. */
  readonly permission: Permission;
  /** One line for the OpenAPI document. */
  readonly summary: string;
  /** Doing it again does no harm: a request that failed midway may be carried out a second time. */
  readonly isRepeatable?: boolean;
  /** Portal sessions may use it: its handler shows them nothing but their own. All others refuse them. */
  readonly isForPortals?: boolean | undefined;
  /** Statuses of the problems that this route may answer in addition to those of every route. */
  readonly problems?: readonly ProblemStatus[];
  /** The media type of its answers where that is not JSON: `text/event-stream`. */
  readonly mediaType?: string | undefined;
  /** The operation id of the route whose second path it is. */
  readonly aliasOf?: string;
  /** Bodies of its 200 in place of JSON, by the media type that asks for them in `Accept`. */
  readonly alternatives?: Readonly<Record<string, z.ZodType>> | undefined;
  /** In place of a body: one that is too large to be held in memory. */
  readonly streamedBody?: StreamedBody | undefined;
}

/** Where a route reads: what it answers with may be some seconds old, or must not be. */
type Reads<Query> = 'standby' | ((query: Query) => 'standby' | 'primary');

/** A route with its types erased, as stored in a route table. */
export interface Route<Deps, Principal, Permission = unknown> extends RouteHead<Permission> {
  /** Default: the primary. */
  readonly reads?: Reads<unknown> | undefined;
  readonly schemas: RouteSchemas;
  /** The handler gets the body as bytes and checks it itself. */
  readonly readsBytes?: boolean;
  /** Of a large body: at most so many bytes. */
  readonly largeBodyBytes?: number;
  /** An example body for the OpenAPI document. */
  readonly example?: unknown;
  handle(
    request: RouteRequest<unknown, unknown, unknown, unknown, Principal>,
    deps: Deps,
  ): Promise<RouteReply>;
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

interface RouteDefinition<P, Q, B, H, Deps, Principal, Permission> extends RouteHead<Permission> {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** In place of `body`: too large to be parsed beside other requests. */
  readonly largeBody?: {
    readonly schema: z.ZodType;
    readonly limitBytes: number;
    readonly example: unknown;
  };
  /** In place of `body`: a list of which each item stands for itself; the handler reads it (`parseItemsBytes`). */
  readonly itemsBody?: { readonly schema: z.ZodType; readonly example: unknown };
  readonly headers?: H;
  /** Default: the primary. */
  readonly reads?: Reads<Parsed<Q>>;
  readonly example?: B extends z.ZodType ? z.input<B> : undefined;
  readonly responses: RouteSchemas['responses'];
  handle(
    request: RouteRequest<Parsed<P>, Parsed<Q>, Parsed<B>, Parsed<H>, Principal>,
    deps: Deps,
  ): Promise<RouteReply>;
}

/** Makes a route from its head, its schemas and its handler. */
export type DefineRoute<Deps, Principal, Permission> = <
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  H extends z.ZodObject | undefined = undefined,
>(
  definition: RouteDefinition<P, Q, B, H, Deps, Principal, Permission>,
) => Route<Deps, Principal, Permission>;

/**
 * `const defineRoute = routeFactory<Deps, Principal, Permission>()`: makes routes whose handlers are typed by their own
 * schemas.
 */
export function routeFactory<Deps, Principal, Permission>(): DefineRoute<Deps, Principal, Permission> {
  return <
    P extends z.ZodType | undefined = undefined,
    Q extends z.ZodType | undefined = undefined,
    B extends z.ZodType | undefined = undefined,
    H extends z.ZodObject | undefined = undefined,
  >(
    definition: RouteDefinition<P, Q, B, H, Deps, Principal, Permission>,
  ): Route<Deps, Principal, Permission> => ({
    method: definition.method,
    path: definition.path,
    permission: definition.permission,
    summary: definition.summary,
    problems: definition.problems,
    mediaType: definition.mediaType,
    alternatives: definition.alternatives,
    isRepeatable: definition.isRepeatable,
    isForPortals: definition.isForPortals,
    streamedBody: definition.streamedBody,
    reads: definition.reads as Route<Deps, Principal, Permission>['reads'],
    readsBytes: definition.largeBody !== undefined || definition.itemsBody !== undefined,
    largeBodyBytes: definition.largeBody?.limitBytes,
    example: definition.example ?? (definition.largeBody ?? definition.itemsBody)?.example,
    schemas: {
      params: definition.params,
      query: definition.query,
      body: definition.body ?? (definition.largeBody ?? definition.itemsBody)?.schema,
      headers: definition.headers,
      responses: definition.responses,
    },
    // The mount parses with exactly these schemas before it calls the handler, so the erased values have the types `P`,
    // `Q`, `B` and `H`.
    handle: (request, deps) =>
      definition.handle(request as RouteRequest<Parsed<P>, Parsed<Q>, Parsed<B>, Parsed<H>, Principal>, deps),
  });
}
