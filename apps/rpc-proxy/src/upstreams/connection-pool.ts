import type { OpenSocket } from '@chainwatch/outbound';
import { NodeConnection } from './node-connection.ts';
import type { ConnectionOwner, PooledConnection, ReplyHandler } from './pooled-connection.ts';

export interface ConnectionPoolOptions {
  readonly openSocket: OpenSocket;
  /** Milliseconds, monotonic; it may lag slightly. */
  readonly clock: { readonly now: number };
  /** Default 256; further requests wait. */
  readonly connectionsMax?: number;
}

const CONNECTIONS_MAX = 256;
const SWEEP_MS = 1_000;
const AGE_MS_MAX = 300_000;

interface Waiting {
  readonly handler: ReplyHandler;
  readonly head: string;
  readonly body: Buffer;
  /** The request may only use a connection that has carried nothing yet. */
  readonly isFresh: boolean;
}

/** Kept connections to one server; the one used last is used first. Requests beyond the limit wait in order. */
export class ConnectionPool implements ConnectionOwner {
  readonly #options: ConnectionPoolOptions;
  readonly #connectionsMax: number;
  readonly #connections = new Set<PooledConnection>();
  readonly #free: PooledConnection[] = [];
  readonly #waiting = new Map<ReplyHandler, Waiting>();
  #opening = 0;
  #isClosed = false;
  #sweep: NodeJS.Timeout | undefined;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    this.#connectionsMax = options.connectionsMax ?? CONNECTIONS_MAX;
  }

  /**
   * Sends head and body over one connection; the head is complete, including its empty line.
   * @param idleMsMax kept connections that have been idle for longer are skipped, because the server may have closed
   * them. With 0 the request gets a connection that has carried nothing yet.
   */
  send(
    handler: ReplyHandler,
    {
      head,
      body,
      idleMsMax = Infinity,
    }: { readonly head: string; readonly body: Buffer; readonly idleMsMax?: number },
  ): void {
    const { now } = this.#options.clock;
    const isFresh = idleMsMax === 0;
    for (
      let connection = isFresh ? undefined : this.#free.pop();
      connection !== undefined;
      connection = this.#free.pop()
    ) {
      if (connection.freshUntil <= now) {
        connection.destroy(IDLE);
        continue;
      }
      if (now - connection.idleSince <= idleMsMax) return connection.send(handler, head, body);
      // The remaining ones have been idle even longer.
      this.#free.push(connection);
      break;
    }
    this.#waiting.set(handler, { handler, head, body, isFresh });
    this.#makeRoom();
    this.#open();
  }

  /** Drops a waiting request that is no longer wanted. */
  withdraw(handler: ReplyHandler): void {
    this.#waiting.delete(handler);
  }

  /** Requests in flight or waiting may finish; no connection is kept afterwards. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    for (const connection of [...this.#free]) connection.destroy(CLOSED);
  }

  destroy(): void {
    const waiting = [...this.#waiting.keys()];
    this.#waiting.clear();
    this.close();
    for (const connection of [...this.#connections]) connection.destroy(CLOSED);
    for (const handler of waiting) handler.onError(CLOSED);
  }

  onConnected(connection: PooledConnection): void {
    this.#opening -= 1;
    const waiting = this.#takeWaiting();
    if (waiting === undefined) this.onFree(connection);
    else connection.send(waiting.handler, waiting.head, waiting.body);
  }

  onFree(connection: PooledConnection): void {
    const waiting = this.#takeWaiting(({ isFresh }) => !isFresh);
    if (waiting !== undefined) return connection.send(waiting.handler, waiting.head, waiting.body);
    const { now } = this.#options.clock;
    if (this.#isClosed) return connection.destroy(CLOSED);
    // A connection in constant use would never notice a DNS change.
    if (now - connection.bornAt > AGE_MS_MAX) return connection.destroy(OLD);
    connection.idleSince = now;
    connection.freshUntil = now + connection.keepAliveMs;
    this.#free.push(connection);
    this.#makeRoom();
    this.#sweep ??= setInterval(() => this.#dropStale(), SWEEP_MS).unref();
  }

  onGone(connection: PooledConnection, error: Error): void {
    this.#connections.delete(connection);
    const index = this.#free.indexOf(connection);
    if (index !== -1) this.#free.splice(index, 1);
    if (!connection.isConnected) this.#failToOpen(error);
    this.#open();
  }

  /** Opens a connection for each waiting request, up to the limit. */
  #open(): void {
    const { openSocket, clock } = this.#options;
    while (this.#opening < this.#waiting.size && this.#connections.size < this.#connectionsMax) {
      this.#opening += 1;
      try {
        this.#connections.add(new NodeConnection(openSocket, this, clock.now));
      } catch (error) {
        // A forbidden address: reported asynchronously, as every other failure is.
        queueMicrotask(() => this.#failToOpen(error as Error));
      }
    }
  }

  #failToOpen(error: Error): void {
    this.#opening -= 1;
    this.#takeWaiting()?.handler.onError(error);
  }

  #takeWaiting(isWanted: (waiting: Waiting) => boolean = () => true): Waiting | undefined {
    for (const waiting of this.#waiting.values()) {
      if (!isWanted(waiting)) continue;
      this.#waiting.delete(waiting.handler);
      return waiting;
    }
    return undefined;
  }

  /** Replaces a kept connection if a request waits for a new one and the limit is reached. */
  #makeRoom(): void {
    if (this.#waiting.size > this.#opening && this.#connections.size >= this.#connectionsMax)
      this.#free.shift()?.destroy(OLD);
  }

  #dropStale(): void {
    const { now } = this.#options.clock;
    for (const connection of [...this.#free]) if (connection.freshUntil <= now) connection.destroy(IDLE);
    if (this.#free.length > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}

const OLD = new Error('the connection was in use for long enough');
const IDLE = new Error('the connection was idle for too long');
const CLOSED = new Error('the server is not asked any more');
