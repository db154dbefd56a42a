import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { AcceptedConnection, type ConnectionOwner, type ServerTimeouts } from './accepted-connection.ts';
import type { BodyPayers, RequestHandler } from './http-request.ts';

const SWEEP_MS = 1_000;

export interface AcceptorOptions {
  readonly handle: RequestHandler<never>;
  readonly payers: BodyPayers;
  readonly headerNames: ReadonlySet<string>;
  /** How often connections are checked; for specs. */
  readonly sweepMs?: number | undefined;
}

/**
 * Takes the connections of a node:http server first. Requests of the strict form are answered without node:http;
 * everything else is handed to it unchanged (docs/adr/0011-own-front-for-calls.md). Time-outs are the server's.
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

  /** From now on every answer ends its connection; new connections are still accepted. */
  drain(): void {
    this.isStopping = true;
  }

  /** Idle connections end now, the others after their last answer. The server itself is closed by its creator. */
  stop(): void {
    this.isStopping = true;
    for (const connection of this.#connections) connection.stop();
  }

  /** Cuts the remaining connections. */
  destroy(): void {
    clearInterval(this.#sweeping);
    for (const { socket } of this.#connections) socket.destroy();
  }

  #sweep(): void {
    this.now = performance.now();
    for (const connection of this.#connections) connection.sweep(this.now);
  }
}
