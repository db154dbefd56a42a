// SPDX-License-Identifier: Apache-2.0
import type { OpenSocket } from '@chainwatch/outbound';
import {
  ABORTED,
  NodeConnection,
  type ConnectionOwner,
  type NodeReply,
  type NodeRequest,
  type PendingRequest,
} from './node-connection.ts';

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

/** Who sends a request. An `AbortSignal` would cost more than everything else that is done for a call here. */
export interface Sender {
  /**
   * Kept connections that have been idle for longer are skipped, because the server may have closed them. With 0 the
   * request gets a connection that has carried nothing yet.
   */
  readonly idleMsMax: number;
  /** The reply is no longer wanted. */
  readonly isDone: boolean;
  /** Called when the request is sent: from then on the server may have acted. */
  onSend(): void;
  /** Called with the reply before any of its body has come. */
  onReply?(reply: NodeReply): void;
  /** Set by the pool: ends the request, and its connection if it was sent. */
  abort: (() => void) | undefined;
}

interface Waiting extends PendingRequest {
  /** The request may only use a connection that has carried nothing yet. */
  readonly isFresh: boolean;
  /** The connection that carries the request. */
  connection: NodeConnection | undefined;
}

/** Kept connections to one server; the one used last is used first. Requests beyond the limit wait in order. */
export class ConnectionPool implements ConnectionOwner {
  readonly #options: ConnectionPoolOptions;
  readonly #connectionsMax: number;
  readonly #connections = new Set<NodeConnection>();
  readonly #free: NodeConnection[] = [];
  readonly #waiting = new Set<Waiting>();
  #opening = 0;
  #isClosed = false;
  #sweep: NodeJS.Timeout | undefined;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    this.#connectionsMax = options.connectionsMax ?? CONNECTIONS_MAX;
  }

  /**
   * Sends a request over one connection.
   * @returns the reply when its head has arrived
   * @throws StaleConnectionError, or another Error when there is no reply
   */
  send(request: NodeRequest, sender: Sender): Promise<NodeReply> {
    return new Promise((resolve, reject) => {
      if (sender.isDone) return reject(ABORTED);
      const isFresh = sender.idleMsMax === 0;
      const waiting: Waiting = { request, sender, resolve, reject, isFresh, connection: undefined };
      sender.abort = this.#abortOf(waiting);
      const connection = isFresh ? undefined : this.#takeFree(sender.idleMsMax);
      if (connection !== undefined) return this.#start(waiting, connection);
      this.#waiting.add(waiting);
      this.#makeRoom();
      this.#open();
    });
  }

  /** Requests in flight or waiting may finish; no connection is kept afterwards. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    for (const connection of [...this.#free]) connection.destroy(CLOSED);
  }

  destroy(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    this.close();
    for (const connection of [...this.#connections]) connection.destroy(CLOSED);
    for (const { reject } of waiting) reject(CLOSED);
  }

  onConnected(connection: NodeConnection): void {
    this.#opening -= 1;
    const waiting = this.#takeWaiting();
    if (waiting === undefined) this.onFree(connection);
    else this.#start(waiting, connection);
  }

  onFree(connection: NodeConnection): void {
    const waiting = this.#takeWaiting(({ isFresh }) => !isFresh);
    if (waiting !== undefined) return this.#start(waiting, connection);
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

  onGone(connection: NodeConnection, error: Error): void {
    this.#connections.delete(connection);
    const index = this.#free.indexOf(connection);
    if (index !== -1) this.#free.splice(index, 1);
    if (!connection.isConnected) this.#failToOpen(error);
    this.#open();
  }

  /** The connection that was used last, if it is still good. */
  #takeFree(idleMsMax: number): NodeConnection | undefined {
    const { now } = this.#options.clock;
    for (let free = this.#free.pop(); free !== undefined; free = this.#free.pop()) {
      if (free.freshUntil <= now) {
        free.destroy(IDLE);
        continue;
      }
      if (now - free.idleSince <= idleMsMax) return free;
      // The remaining ones have been idle even longer.
      this.#free.push(free);
      return undefined;
    }
    return undefined;
  }

  #start(waiting: Waiting, connection: NodeConnection): void {
    waiting.connection = connection;
    connection.send(waiting);
  }

  /** What is called when the request is no longer wanted. */
  #abortOf(waiting: Waiting): () => void {
    return () => {
      if (this.#waiting.delete(waiting)) waiting.reject(ABORTED);
      else waiting.connection?.abort(waiting);
    };
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
    this.#takeWaiting()?.reject(error);
  }

  #takeWaiting(isWanted: (waiting: Waiting) => boolean = () => true): Waiting | undefined {
    for (const waiting of this.#waiting) {
      if (!isWanted(waiting)) continue;
      this.#waiting.delete(waiting);
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
