import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { BodyPayers } from '../http/door.ts';
import type { RpcHandler } from '../http/rpc-handler.ts';
import { FrontConnection, type ConnectionOwner, type FrontTimeouts } from './front-connection.ts';

const SWEEP_MS = 1_000;

/**
 * Stands before a server of node:http and takes its connections first: calls in the strict form are answered without it,
 * everything else is read by the server as if there were no front (docs/adr/0011-own-front-for-calls.md). Timeouts are the server's.
 */
export class Front implements ConnectionOwner {
  readonly handle: RpcHandler;
  readonly payers: BodyPayers;
  readonly timeouts: FrontTimeouts;
  now = performance.now();
  isStopping = false;
  readonly #connections = new Set<FrontConnection>();
  readonly #server: Server;
  readonly #toServer: readonly ((socket: Socket) => void)[];
  readonly #sweeping: NodeJS.Timeout;

  /** @param sweepMs how often connections are looked at, for specs */
  constructor(server: Server, handle: RpcHandler, payers: BodyPayers, sweepMs = SWEEP_MS) {
    this.handle = handle;
    this.payers = payers;
    this.timeouts = server;
    this.#server = server;
    this.#toServer = server.listeners('connection') as ((socket: Socket) => void)[];
    server
      .removeAllListeners('connection')
      .on('connection', (socket: Socket) => void this.#connections.add(new FrontConnection(socket, this)));
    this.#sweeping = setInterval(() => this.#sweep(), sweepMs).unref();
  }

  handOver(socket: Socket, unread: Buffer): void {
    socket.pause();
    socket.unshift(unread);
    for (const listener of this.#toServer) listener.call(this.#server, socket);
    socket.resume();
  }

  forget(connection: FrontConnection): void {
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
