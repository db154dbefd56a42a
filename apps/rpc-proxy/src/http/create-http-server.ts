// SPDX-License-Identifier: Apache-2.0
import { AsyncResource } from 'node:async_hooks';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isTracing, traceRequest } from '@chainwatch/telemetry';
import { answerClientError } from './answer-client-error.ts';
import { BodyIncoming } from './body-incoming.ts';
import type { BodyError, BodyPayers, RequestHandler } from './http-request.ts';
import { PlainChannel } from './plain-channel.ts';
import { readBody } from './read-body.ts';

export interface ServerTimeouts {
  /** Milliseconds for the head, for the whole request, and between two requests. */
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
}

export interface HttpServerOptions<Full extends string> {
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
