import type { IncomingHttpHeaders } from 'node:http';
import { Client, type Dispatcher } from 'undici';
import type { OpenSocket } from '@chainwatch/outbound';
import {
  type ConnectionOwner,
  type PooledConnection,
  StaleConnectionError,
  type ReplyHandler,
  type ReplySource,
} from './pooled-connection.ts';

/**
 * Used if the server does not say. Shorter than the servers' own defaults (Go 120 s, libevent 30 s, nginx 60 s, Node 5
 * s).
 */
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_MS_MAX = 25_000;
const KEEP_ALIVE_MARGIN_MS = 2_000;

/** One connection to a server, through undici. */
export class NodeConnection implements PooledConnection, ReplySource, Dispatcher.DispatchHandler {
  freshUntil = 0;
  idleSince = 0;
  readonly bornAt: number;
  isConnected = false;
  keepAliveMs = KEEP_ALIVE_MS;
  readonly #socket: ReturnType<OpenSocket>;
  readonly #owner: ConnectionOwner;
  #client: Client | undefined;
  #handler: ReplyHandler | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #isGone = false;
  /**
   * The connection carried a reply before, and nothing of the next one has come: the server may have closed it
   * meanwhile.
   */
  #isStaleIfLost = false;
  #replyCount = 0;

  /** @throws Error if the address is forbidden */
  constructor(openSocket: OpenSocket, owner: ConnectionOwner, now: number) {
    this.#owner = owner;
    this.bornAt = now;
    this.#socket = openSocket(undefined, () => this.#connected())
      .on('error', (error: Error) => this.destroy(error))
      .on('close', () => this.destroy(new Error('the server closed the connection')));
  }

  send(handler: ReplyHandler, head: string, body: Buffer): void {
    this.#handler = handler;
    this.#isStaleIfLost = this.#replyCount > 0;
    handler.onSend(this);
    const [line, ...lines] = head.trimEnd().split('\r\n');
    const [method, path] = line!.split(' ') as ['GET' | 'POST', string];
    // undici writes the framing headers itself.
    const headers = lines
      .filter((each) => !/^(connection|content-length):/i.test(each))
      .flatMap((each) => [each.slice(0, each.indexOf(':')), each.slice(each.indexOf(':') + 2)]);
    this.#client!.dispatch({ method, path, headers, body: method === 'GET' ? null : body }, this);
  }

  resume(): void {
    this.#controller?.resume();
  }

  abort(): void {
    this.#handler = undefined;
    this.destroy(ABORTED);
  }

  destroy(error: Error): void {
    if (this.#isGone) return;
    this.#isGone = true;
    const handler = this.#handler;
    this.#handler = undefined;
    this.#socket.destroy();
    void this.#client?.destroy().catch(() => undefined);
    this.#owner.onGone(this, error);
    handler?.onError(this.#isStaleIfLost ? new StaleConnectionError(error) : error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.#isStaleIfLost = false;
    // An informational response; the reply follows it.
    if (status < 200 || this.#handler === undefined) return;
    const length = headers['content-length'];
    const isChunked = headers['transfer-encoding'] !== undefined;
    const contentLength = length === undefined || isChunked ? -1 : Number(length);
    this.keepAliveMs = keepAliveOf(headers['keep-alive']);
    this.#handler.onHead({
      status,
      contentType: headers['content-type'] ?? 'application/json',
      contentEncoding: headers['content-encoding'],
      retryAfter: headers['retry-after'],
      contentLength,
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#handler?.onBody(piece) === false) controller.pause();
  }

  onResponseEnd(): void {
    const handler = this.#handler;
    if (handler === undefined) return;
    this.#replyCount += 1;
    const isOwn = handler.isOwnReply();
    this.#handler = undefined;
    this.#controller = undefined;
    if (isOwn && this.keepAliveMs > 0 && this.#socket.writableLength === 0)
      queueMicrotask(() => this.#free());
    else this.destroy(ENDED);
    handler.onComplete();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.destroy(error);
  }

  #connected(): void {
    if (this.#isGone) return;
    this.isConnected = true;
    let isTaken = false;
    // A client of one connection: if that is lost, no other one takes its place.
    this.#client = new Client('http://server', {
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 65_536,
      // The pool drops the connection earlier.
      keepAliveTimeout: KEEP_ALIVE_MS * 2,
      keepAliveMaxTimeout: KEEP_ALIVE_MS_MAX * 2,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS / 2,
      connect: (_target, callback) => {
        const isFirst = !isTaken;
        isTaken = true;
        // undici cannot take the socket while it asks for it.
        queueMicrotask(() => (isFirst ? callback(null, this.#socket) : callback(ENDED, null)));
      },
    });
    this.#owner.onConnected(this);
  }

  /**
   * The whole reply has been read. Extra bytes after it, or undici's own wish to close, would have closed the socket.
   */
  #free(): void {
    if (this.#isGone) return;
    if (this.#socket.destroyed) this.destroy(ENDED);
    else this.#owner.onFree(this);
  }
}

function keepAliveOf(value: string | string[] | undefined): number {
  const seconds = /(?:^|[\s,])timeout=(\d{1,9})/i.exec(String(value ?? ''))?.[1];
  return seconds === undefined
    ? KEEP_ALIVE_MS
    : Math.min(KEEP_ALIVE_MS_MAX, Math.max(0, Number(seconds) * 1_000 - KEEP_ALIVE_MARGIN_MS));
}

const ABORTED = new Error('the reply is not wanted any more');
const ENDED = new Error('the connection is not used again');
