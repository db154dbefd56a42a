import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { AcceptedConnection, type ConnectionOwner, type ServerTimeouts } from './accepted-connection.ts';
import type { BodyPayers } from './body-payers.ts';
import type { RequestHandler } from './http-request.ts';

const SWEEP_MS = 1_000;

export interface AcceptorOptions {
  readonly handle: RequestHandler<never>;
  readonly payers: BodyPayers;
  readonly headerNames: ReadonlySet<string>;
  /** How often connections are looked at; for specs. */
  readonly sweepMs?: number | undefined;
}

/**
 * Stands before a server of node:http and takes its connections first: requests in the strict form are answered without
 * it, everything else is read by the server as if nobody stood before it (docs/adr/0011-own-front-for-calls.md). Timeouts
 * are the server's.
 */
export class ConnectionAcceptor implements ConnectionOwner {
  readonly handle: RequestHandler<never>;
  readonly payers: BodyPayers;
  readonly headerNames: ReadonlySet<string>;
  readonly timeouts: ServerTimeouts;
  now = performance.now();
  isStopping = false;
  readonly #connections = new Set<AcceptedConnection>();
  readonly #server: Server;
  readonly #toServer: readonly ((socket: Socket) => void)[];
  readonly #sweeping: NodeJS.Timeout;

  constructor(server: Server, { handle, payers, headerNames, sweepMs = SWEEP_MS }: AcceptorOptions) {
    this.handle = handle;
    this.payers = payers;
    this.headerNames = headerNames;
    this.timeouts = server;
    this.#server = server;
    this.#toServer = server.listeners('connection') as ((socket: Socket) => void)[];
    server
      .removeAllListeners('connection')
      .on('connection', (socket: Socket) => void this.#connections.add(new AcceptedConnection(socket, this)));
    this.#sweeping = setInterval(() => this.#sweep(), sweepMs).unref();
  }

  handOver(socket: Socket, unread: Buffer): void {
    socket.pause();
    socket.unshift(unread);
    for (const listener of this.#toServer) listener.call(this.#server, socket);
    socket.resume();
  }

  forget(connection: AcceptedConnection): void {
    this.#connections.delete(connection);
  }

  /** Every answer from now on ends its connection; new ones are taken. */
  drain(): void {
    this.isStopping = true;
  }

  /** Idle connections end; the others behind their last answer. The server is closed by who made it. */
  stop(): void {
    this.isStopping = true;
    for (const connection of this.#connections) connection.stop();
  }

  /** Ends what did not end by itself. */
  destroy(): void {
    clearInterval(this.#sweeping);
    for (const { socket } of this.#connections) socket.destroy();
  }

  #sweep(): void {
    this.now = performance.now();
    for (const connection of this.#connections) connection.sweep(this.now);
  }
}
