// SPDX-License-Identifier: Apache-2.0
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { findClient } from '@chainwatch/platform/cache';
import { MemoryQuota, type Budget, type KeyAccount, type Tenants } from './tenants.ts';

export interface ClientConnectionsOptions {
  readonly tenants: Tenants;
  /** Connections from one client (`findClient`); Infinity if proxies stand in front. */
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

/** Every connection of the server, registered before anything reads it. */
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
    const address = findClient(socket.remoteAddress) ?? 'unknown';
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

/** One client connection, whichever server reads it: the memory that is held for it, and the key it belongs to. */
export class ClientConnection implements Budget {
  held = 0;
  readonly max: number;
  readonly socket: Socket;
  /** Pays for what is held: the account of strangers until a key is known. */
  quota: MemoryQuota;
  #claimed: KeyAccount | undefined;
  #isClosed = false;
  /** Bytes that the kernel has accepted, and when that number last changed. */
  #taken = 0;
  #movedAt = 0;

  constructor(socket: Socket, max: number, strangers: KeyAccount) {
    this.socket = socket;
    this.max = max;
    this.quota = new MemoryQuota(this, strangers);
  }

  /**
   * Counts the connection as this key's until it closes or another key claims it.
   * @returns false if the key has too many
   */
  claim(key: KeyAccount): boolean {
    if (this.#claimed === key || this.#isClosed) return true;
    if (key.sockets >= key.socketsMax) return false;
    if (this.#claimed !== undefined) this.#claimed.sockets -= 1;
    this.#claimed = key;
    key.sockets += 1;
    return true;
  }

  tellClosed(): void {
    this.#isClosed = true;
    if (this.#claimed !== undefined) this.#claimed.sockets -= 1;
    this.#claimed = undefined;
  }

  /** For how long there have been bytes to write of which the client accepted none. */
  stuckMs(now: number): number {
    const taken = bytesTaken(this.socket);
    if (taken !== this.#taken || this.socket.writableLength === 0) {
      this.#taken = taken;
      this.#movedAt = now;
    }
    return now - this.#movedAt;
  }
}

/**
 * Bytes that left this process. A stream reports only completed writes, and one write may be an answer of 8 MiB; the
 * handle knows how much of it is left (net.Socket's own timeout looks there too).
 */
function bytesTaken(socket: Socket): number {
  const { _handle: handle } = socket as unknown as {
    readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
  };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}
