import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ServerTimeouts } from './accepted-connection.ts';
import { answerClientError } from './answer-client-error.ts';
import { BodyIncoming } from './body-incoming.ts';
import type { BodyPayers, RequestHandler } from './http-request.ts';
import { ConnectionAcceptor } from './connection-acceptor.ts';
import { PlainChannel } from './plain-channel.ts';
import { readBody } from './read-body.ts';

export interface HttpServerOptions<Full extends string> {
  readonly handle: RequestHandler<Full>;
  readonly payers: BodyPayers<Full>;
  /** The headers that `handle` reads, in lower case. A request that is read by hand has no others. */
  readonly headerNames: ReadonlySet<string>;
  /**
   * Called for each request that node:http reads, before its body.
   * @returns false if the request is for `handle`
   */
  readonly answerOther: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** node:http serves every request. */
  readonly isPlain: boolean;
  readonly timeouts?: ServerTimeouts;
  /** How often connections are checked; for specs. */
  readonly sweepMs?: number;
}

export interface HttpServer {
  /** The server to listen with, to handle `upgrade`, and to observe connections first. */
  readonly server: Server;
  /** From now on each answer written by hand is the last one of its connection. */
  drain(): void;
  /** Lets pending answers finish for `graceMs`, then cuts the remaining connections. */
  close(graceMs: number): Promise<void>;
}

const TIMEOUTS: ServerTimeouts = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
};

/** A node:http server with an acceptor in front of it, which reads ordinary requests by hand. */
export function createHttpServer<Full extends string>(options: HttpServerOptions<Full>): HttpServer {
  const { handle, payers, answerOther, isPlain, sweepMs, timeouts = TIMEOUTS } = options;
  const server = createServer(
    { IncomingMessage: BodyIncoming, ...timeouts, connectionsCheckingInterval: sweepMs, noDelay: true },
    (req, res) => {
      if (answerOther(req, res)) return;
      const channel = new PlainChannel(res);
      readBody(req, payers, (error, body) => handle(req, channel, { error, body }));
    },
  );
  server.on('clientError', answerClientError);
  const acceptor = isPlain ? undefined : new ConnectionAcceptor(server, options);
  return {
    server,
    drain: () => acceptor?.drain(),
    async close(graceMs) {
      const cut = setTimeout(() => {
        server.closeAllConnections();
        acceptor?.destroy();
      }, graceMs);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        acceptor?.stop();
      });
      clearTimeout(cut);
      acceptor?.destroy();
    },
  };
}
