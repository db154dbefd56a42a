import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ServerTimeouts } from './accepted-connection.ts';
import { answerClientError } from './answer-client-error.ts';
import { BodyIncoming } from './body-incoming.ts';
import type { BodyPayers } from './body-payers.ts';
import { ConnectionAcceptor } from './connection-acceptor.ts';
import type { RequestHandler } from './http-request.ts';
import { PlainChannel } from './plain-channel.ts';
import { readBody } from './read-body.ts';

export interface HttpServerOptions<Full extends string> {
  readonly handle: RequestHandler<Full>;
  readonly payers: BodyPayers<Full>;
  /** What `handle` reads of a head, in lower case: nothing else is there of a request that is read by hand. */
  readonly headerNames: ReadonlySet<string>;
  /** Asked of each request that node:http reads, before its body. @returns false: it is for `handle` */
  readonly answerOther: (req: IncomingMessage, res: ServerResponse) => boolean;
  /** node:http reads and writes everything. */
  readonly isPlain: boolean;
  readonly timeouts?: ServerTimeouts;
  /** How often connections are looked at; for specs. */
  readonly sweepMs?: number;
}

export interface HttpServer {
  /** To listen with, for `upgrade`, and for who wants to see connections first. */
  readonly server: Server;
  /** Each answer that is written by hand is from now on the last one of its connection. */
  drain(): void;
  /** Lets answers under way end for so long, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

const TIMEOUTS: ServerTimeouts = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
};

/** A server of node:http, with an acceptor in front of it that reads the usual requests by hand. */
export function createHttpServer<Full extends string>(options: HttpServerOptions<Full>): HttpServer {
  const { handle, payers, answerOther, isPlain, sweepMs, timeouts = TIMEOUTS } = options;
  const server = createServer(
    { IncomingMessage: BodyIncoming, ...timeouts, connectionsCheckingInterval: sweepMs, noDelay: true },
    (req, res) => {
      if (answerOther(req, res)) return;
      const channel = new PlainChannel(res);
      readBody(req, payers, (error, body) => handle(req, channel, error, body));
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
