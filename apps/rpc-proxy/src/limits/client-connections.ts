import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { ClientConnection } from './client-connection.ts';
import type { Tenants } from './tenants.ts';

export interface ClientConnectionsOptions {
  readonly tenants: Tenants;
  /** Connections from one address; Infinity if proxies stand in front. */
  readonly perClient: number;
  /** A connection that accepts no byte for this long is cut. */
  readonly writeTimeoutMs: number;
  /** How often connections are checked; for specs. */
  readonly sweepMs?: number | undefined;
}

const CONNECTION = Symbol('connection');
type Marked = Socket & { [CONNECTION]?: ClientConnection };

const REFUSAL_BODY = JSON.stringify({ error: 'too many connections from this address' });
const REFUSAL = `HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nContent-Length: ${REFUSAL_BODY.length}\r\nRetry-After: 1\r\nConnection: close\r\n\r\n${REFUSAL_BODY}`;

/** Every connection of the server, registered before anything reads it: raw-http, node:http or a WebSocket. */
export class ClientConnections {
  /** Number of connections cut because the client accepted no bytes. */
  cut = 0;
  readonly #options: ClientConnectionsOptions;
  readonly #connections = new Set<ClientConnection>();
  readonly #byAddress = new Map<string, number>();
  readonly #sweeping: NodeJS.Timeout;

  constructor(options: ClientConnectionsOptions) {
    this.#options = options;
    this.#sweeping = setInterval(() => this.#sweep(), options.sweepMs ?? 1_000).unref();
  }

  get size(): number {
    return this.#connections.size;
  }

  /** Existing listeners for connections are called only for those that are admitted. */
  guard(server: Server): void {
    const readers = server.listeners('connection') as ((socket: Socket) => void)[];
    server.removeAllListeners('connection').on('connection', (socket: Socket) => {
      if (this.#open(socket)) for (const read of readers) read.call(server, socket);
    });
  }

  of(socket: Socket): ClientConnection {
    return (socket as Marked)[CONNECTION] ?? this.#mark(socket);
  }

  stop(): void {
    clearInterval(this.#sweeping);
  }

  #mark(socket: Socket): ClientConnection {
    const { tenants } = this.#options;
    return ((socket as Marked)[CONNECTION] = new ClientConnection(
      socket,
      tenants.limits.heldBytesPerConnection,
      tenants.strangers,
    ));
  }

  #open(socket: Socket): boolean {
    const address = socket.remoteAddress ?? 'unknown';
    const count = this.#byAddress.get(address) ?? 0;
    if (count >= this.#options.perClient) {
      socket.on('error', () => undefined).end(REFUSAL, () => socket.destroy());
      return false;
    }
    this.#byAddress.set(address, count + 1);
    const connection = this.#mark(socket);
    this.#connections.add(connection);
    socket.once('close', () => {
      this.#connections.delete(connection);
      connection.tellClosed();
      const left = this.#byAddress.get(address)! - 1;
      if (left > 0) this.#byAddress.set(address, left);
      else this.#byAddress.delete(address);
    });
    return true;
  }

  #sweep(): void {
    const now = performance.now();
    for (const connection of this.#connections) {
      if (connection.stuckMs(now) < this.#options.writeTimeoutMs) continue;
      this.cut += 1;
      connection.socket.destroy();
    }
  }
}
