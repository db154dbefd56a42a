// SPDX-License-Identifier: Apache-2.0
import { type IncomingMessage, type ServerResponse, createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Dial } from '@chainwatch/chain-core';
import type { KeyStore } from '@chainwatch/data/key-store';
import {
  closeWaitingAnswers,
  createDrain,
  type Logger,
  isTracing,
  traceRequest,
} from '@chainwatch/platform/telemetry';
import type { AnswerCache } from '../cache/answer-cache.ts';
import { servePath } from '../calls/serve-path.ts';
import { createServe } from '../calls/serve-request.ts';
import type { ChainDirectory } from '../chains/chain-directory.ts';
import { type KeyLimits, pushLimitHeaders, tooMany } from '../limits/key-limits.ts';
import type { ClientConnections } from '../limits/client-connections.ts';
import type { Tenants } from '../limits/tenants.ts';
import { createUpgradeListener } from '../socket/upgrade-listener.ts';
import type { UsageRecorder } from '../usage/usage-recorder.ts';
import { createCrossOrigin, type CrossOrigin } from './cross-origin.ts';
import type { Authenticator } from './authenticator.ts';
import { createRpcHandler } from './rpc-handler.ts';
import { createListListener } from './serve-list.ts';
import { clientOf } from './client-request.ts';
import { AsyncResource } from 'node:async_hooks';
import { BodyIncoming } from './body-incoming.ts';
import type { BodyError, BodyPayers, RequestHandler } from './http-request.ts';
import { PlainChannel } from './reply-channel.ts';
import { readBody } from './read-body.ts';
import type { Duplex } from 'node:stream';

export interface RpcServerOptions {
  readonly dial: Dial;
  /** Between two pings to the node of a subscription; for specs. */
  readonly nodePingMs?: number;
  readonly corsOrigins: readonly string[];
  readonly trustedProxies: number;
  readonly logger: Pick<Logger, 'error'>;
}

export interface RpcServerParts {
  readonly authenticator: Authenticator;
  readonly keys: KeyStore;
  readonly limits: KeyLimits;
  readonly connections: ClientConnections;
  readonly tenants: Tenants;
  readonly directory: ChainDirectory;
  readonly usage: UsageRecorder;
}

/** The server that clients connect to: calls over HTTP, and sockets. */
export interface RpcServer {
  /** Resolves with the port. */
  listen(at: { readonly port: number; readonly host?: string }): Promise<number>;
  /** Ends the sockets of a key, at once or from `endsAtMs` on; the hash is hexadecimal. */
  revoke(keyHash: string, endsAtMs: number): void;
  /** From now on each answer is the last one of its connection. */
  drain(): void;
  /** Lets calls in flight finish for `graceMs`, then cuts the remaining connections. */
  close(graceMs: number): Promise<void>;
}

export function createRpcServer(
  options: RpcServerOptions,
  parts: RpcServerParts,
  answers: AnswerCache | undefined,
): RpcServer {
  const http = createHttpServer({
    handle: createHandler(options, parts, answers),
    payers: parts.authenticator,
    answerOther: createPublicListener(options, parts),
  });
  const { server } = http;
  parts.connections.guard(server);
  closeWaitingAnswers(server);
  const draining = createDrain(server);
  const upgrade = createUpgradeListener({
    ...parts,
    dial: options.dial,
    nodePingMs: options.nodePingMs,
    // What a client reads after a notification must not be older than the notification: nothing comes from the cache.
    serve: createServe({ usage: parts.usage, cache: undefined }),
    onFault: (err) => options.logger.error({ err }, 'a session of a WebSocket failed'),
  });
  server.on('upgrade', upgrade);
  return {
    async listen({ port, host }) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host, backlog: 4_096 }, resolve);
      });
      return (server.address() as AddressInfo).port;
    },
    revoke: upgrade.revoke,
    drain: () => draining.start(),
    async close(graceMs) {
      await Promise.all([upgrade.close(graceMs), http.close(graceMs)]);
    },
  };
}

function createHandler(
  { corsOrigins, logger }: RpcServerOptions,
  { authenticator, limits, directory, usage }: RpcServerParts,
  answers: AnswerCache | undefined,
) {
  return createRpcHandler({
    authenticator,
    limits,
    directory,
    serve: createServe({ usage, cache: answers }),
    servePath: servePath(usage),
    crossOrigin: createCrossOrigin(corsOrigins),
    onUnexpected: (err) => logger.error({ err }, 'a call failed unexpectedly'),
  });
}

/**
 * Serves requests without a key: preflights and the list of networks.
 * @returns false if the request is a call
 */
function createPublicListener(
  { corsOrigins, trustedProxies }: RpcServerOptions,
  { limits, directory }: RpcServerParts,
): (req: IncomingMessage, res: ServerResponse) => boolean {
  const crossOrigin = createCrossOrigin(corsOrigins);
  const serveList = createListListener({ directory, limits, crossOrigin, trustedProxies });
  const servePreflight = createPreflightListener({ limits, crossOrigin, trustedProxies });
  return (req, res) => {
    if (req.method === 'OPTIONS' && servePreflight(req, res)) return true;
    if (req.url !== '/' && req.url !== '' && !req.url?.startsWith('/?')) return false;
    serveList(req, res);
    return true;
  };
}

interface PreflightOptions {
  readonly limits: Pick<KeyLimits, 'takePublic'>;
  readonly crossOrigin: CrossOrigin;
  readonly trustedProxies: number;
}

/**
 * Answers a browser's preflight. It carries no key, so it counts against the client's address.
 * @returns false if it is no preflight, or its origin may not call
 */
function createPreflightListener({
  limits,
  crossOrigin,
  trustedProxies,
}: PreflightOptions): (req: IncomingMessage, res: ServerResponse) => boolean {
  return (req, res) => {
    const { origin, 'access-control-request-method': method } = req.headers;
    const headers =
      origin === undefined || method === undefined ? undefined : crossOrigin.preflightFor(origin);
    if (headers === undefined) return false;
    req.resume();
    void Promise.resolve(limits.takePublic(clientOf(req, trustedProxies))).then((limit) => {
      const body = limit.allowed ? '' : JSON.stringify({ error: tooMany(limit) });
      const more = limit.allowed
        ? [...headers]
        : [
            ...crossOrigin.headersFor(origin!)!,
            'Content-Type',
            'application/json',
            'Content-Length',
            String(body.length),
          ];
      pushLimitHeaders(more, limit);
      res.writeHead(limit.allowed ? 204 : 429, more).end(body);
    });
    return true;
  };
}

interface ServerTimeouts {
  /** Milliseconds for the head, for the whole request, and between two requests. */
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
}

interface HttpServerOptions<Full extends string> {
  readonly handle: RequestHandler<Full>;
  readonly payers: BodyPayers<Full>;
  /**
   * Called for each request before its body.
   * @returns false if the request is for `handle`
   */
  readonly answerOther: (req: IncomingMessage, res: ServerResponse) => boolean;
  readonly timeouts?: ServerTimeouts;
  /** How often connections are checked; for specs. */
  readonly sweepMs?: number;
}

export interface HttpServer {
  /** The server to listen with, to handle `upgrade`, and to observe connections first. */
  readonly server: Server;
  /** Lets pending answers finish for `graceMs`, then cuts the remaining connections. */
  close(graceMs: number): Promise<void>;
}

const TIMEOUTS: ServerTimeouts = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
};

/** A node:http server that reads bodies at somebody's expense, and answers in the bytes that it is given. */
export function createHttpServer<Full extends string>(options: HttpServerOptions<Full>): HttpServer {
  const { handle, payers, answerOther, sweepMs, timeouts = TIMEOUTS } = options;
  const server = createServer(
    { IncomingMessage: BodyIncoming, ...timeouts, connectionsCheckingInterval: sweepMs, noDelay: true },
    (req, res) => {
      if (answerOther(req, res)) return;
      const answer = (error: BodyError<Full> | undefined, body: Buffer): void =>
        handle(req, new PlainChannel(res), { error, body });
      if (!isTracing()) return void readBody(req, payers, answer);
      const receive = (): void => void readBody(req, payers, AsyncResource.bind(answer));
      // The path may have a key.
      traceRequest(req, res, { readRoute: () => '/{network}', handle: receive });
    },
  );
  server.on('clientError', answerClientError);
  return {
    server,
    async close(graceMs) {
      const cut = setTimeout(() => {
        server.closeAllConnections();
      }, graceMs);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      });
      clearTimeout(cut);
    },
  };
}

/** node:http keeps the response that a connection is sending in this private member. */
type Answering = Duplex & { readonly _httpMessage?: ServerResponse | null };

/**
 * Answers bytes that are not HTTP, or that two readers may read differently: a second Content-Length, or one beside
 * Transfer-Encoding.
 */
function answerClientError(error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Duplex): void {
  const answer = (socket as Answering)._httpMessage;
  // In the middle of an answer, this text would be taken for a part of it.
  const isAnswering = answer?.headersSent === true && !answer.writableEnded;
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) return void socket.destroy();
  const [status, title] =
    error.code === 'HPE_HEADER_OVERFLOW' ? [431, 'Request Header Fields Too Large'] : [400, 'Bad Request'];
  const body = JSON.stringify({ error: 'the request is not well-formed HTTP' });
  // A client that sent HEAD would take a body for the next answer.
  const isHead = error.rawPacket?.toString('latin1', 0, 5) === 'HEAD ';
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${isHead ? '' : body}`,
  );
}
