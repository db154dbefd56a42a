// SPDX-License-Identifier: Apache-2.0
import { request, type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import type { OpenSocket } from '@chainwatch/outbound';
import { BaseError } from '@chainwatch/common/problem';
import type { ReplyHead } from './reply-head.ts';

/** A request to a node. */
export interface NodeRequest {
  readonly method: 'POST' | 'GET';
  readonly path: string;
  /** Name, value, name, value, without `Content-Length`. */
  readonly headers: readonly string[];
  /** Empty for GET. */
  readonly body: Buffer;
}

/** A node's reply. Its reader reads the body to its end and accepts the reply, or destroys the body. */
export interface NodeReply {
  readonly head: ReplyHead;
  readonly body: IncomingMessage;
  /** The reply answers this request: its connection may be used again. Without this call it is not. */
  accept(): void;
}

/** A request, and who waits for the head of its reply. */
export interface PendingRequest {
  readonly request: NodeRequest;
  /** Told when the request is sent, because the node may have acted from then on, and before anything of the body comes. */
  readonly sender: { onSend(): void; onReply?(reply: NodeReply): void };
  readonly resolve: (reply: NodeReply) => void;
  readonly reject: (error: Error) => void;
}

/** The pool as its connections see it. */
export interface ConnectionOwner {
  onConnected(connection: NodeConnection): void;
  /** The reply is complete, and the connection can carry another request. */
  onFree(connection: NodeConnection): void;
  /** Called once, with the reason. */
  onGone(connection: NodeConnection, error: Error): void;
}

/**
 * A kept connection was lost before the first byte of the reply: the server had closed it, perhaps before the request
 * arrived.
 */
export class StaleConnectionError extends BaseError {
  readonly code = 'stale_connection';
  readonly retryable = true;
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/**
 * Used if the server does not say. Shorter than the servers' own defaults (Go 120 s, libevent 30 s, nginx 60 s, Node 5
 * s).
 */
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_MS_MAX = 25_000;
const KEEP_ALIVE_MARGIN_MS = 2_000;
/** Up to this size it is cheaper to append the body to the head as text, in one write. */
const JOINED_BYTES_MAX = 8_192;
const HEAD_BYTES_MAX = 65_536;
/** Every connection reads into this one: node:http has copied what it keeps before a read ends. */
const READ_BUFFER = Buffer.allocUnsafeSlow(98_304);

/**
 * One connection to a server, through node:http. node:http reads past interim responses (1xx). Unlike an `http.Agent`
 * it knows how long it has been idle, and it ends when a byte arrives that belongs to no reply.
 */
export class NodeConnection {
  /** When the connection becomes too old to be reused. */
  freshUntil = 0;
  /** When it last became free. */
  idleSince = 0;
  readonly bornAt: number;
  isConnected = false;
  /** How long after its last reply it may be reused. */
  keepAliveMs = KEEP_ALIVE_MS;
  readonly #socket: ReturnType<OpenSocket>;
  readonly #owner: ConnectionOwner;
  /** Gives each request this connection, and keeps it after the reply. Costs less than `createConnection`. */
  readonly #agent = {
    keepAlive: true,
    defaultPort: 80,
    protocol: 'http:',
    addRequest: (req: ClientRequest) => req.onSocket(this.#socket),
  } as unknown as Agent;
  #pending: PendingRequest | undefined;
  #req: ClientRequest | undefined;
  #res: IncomingMessage | undefined;
  /** Bytes received before the request was sent; undefined for the first request. */
  #bytesBefore: number | undefined;
  #isAccepted = false;
  #isClosed = false;
  #isGone = false;

  /** @throws Error if the address is forbidden */
  constructor(openSocket: OpenSocket, owner: ConnectionOwner, now: number) {
    this.#owner = owner;
    this.bornAt = now;
    const onread = { buffer: READ_BUFFER, callback: (length: number): boolean => this.#received(length) };
    this.#socket = openSocket(onread, () => this.#connected())
      .on('error', (error: Error) => this.destroy(error))
      .on('close', () => this.destroy(new Error('the server closed the connection')))
      // node:http is done with the request, as it tells an agent.
      .on('free', () => this.#closed());
  }

  send(pending: PendingRequest): void {
    this.#pending = pending;
    pending.sender.onSend();
    const { method, path, headers, body } = pending.request;
    const req = request({
      method,
      path,
      headers: method === 'GET' ? headers : [...headers, 'Content-Length', String(body.length)],
      maxHeaderSize: HEAD_BYTES_MAX,
      agent: this.#agent,
    });
    req.on('response', this.#answered).on('error', this.#failed);
    this.#req = req;
    if (body.length === 0 || body.length > JOINED_BYTES_MAX) return void req.end(body);
    req.write(body.toString('latin1', 0, body.length), 'latin1');
    // The request has its socket at the next tick. An end before that would be a second piece to write.
    process.nextTick(endRequest, req);
  }

  /** Ends the connection if it serves the request, which is no longer wanted. */
  abort(pending: PendingRequest): void {
    if (this.#pending === pending) this.destroy(ABORTED);
  }

  destroy(error: Error): void {
    if (this.#isGone) return;
    this.#isGone = true;
    const [pending, res] = [this.#pending, this.#res];
    const isStale = this.#socket.bytesRead === this.#bytesBefore;
    this.#pending = undefined;
    if (res?.complete === false) res.destroy(error);
    this.#socket.destroy();
    this.#owner.onGone(this, error);
    if (res === undefined) pending?.reject(isStale ? new StaleConnectionError(error) : error);
  }

  #received(length: number): boolean {
    // Nobody asked for these bytes.
    if (this.#req === undefined || this.#res?.complete === true) this.destroy(ENDED);
    else this.#socket.emit('data', READ_BUFFER.subarray(0, length));
    return true;
  }

  #connected(): void {
    if (this.#isGone) return;
    this.isConnected = true;
    this.#owner.onConnected(this);
  }

  #failed = (error: Error): void => this.destroy(error);

  #answered = (res: IncomingMessage): void => {
    this.#res = res;
    this.keepAliveMs = keepAliveOf(res.headers['keep-alive']);
    if (this.#pending === undefined) return;
    const reply = { head: headOf(res), body: res, accept: this.#accept };
    this.#pending.sender.onReply?.(reply);
    this.#pending.resolve(reply);
  };

  #accept = (): void => {
    this.#isAccepted = true;
    // The server answered before it had read the request, or does not keep the connection.
    if (this.keepAliveMs === 0 || this.#req?.writableFinished !== true) this.destroy(ENDED);
    else this.#free();
  };

  #closed(): void {
    this.#isClosed = true;
    this.#free();
  }

  #free(): void {
    if (this.#isGone || !this.#isClosed || !this.#isAccepted) return;
    if (this.#socket.destroyed || !this.#socket.writable) return this.destroy(ENDED);
    this.#pending = undefined;
    this.#req = undefined;
    this.#res = undefined;
    this.#isAccepted = false;
    this.#isClosed = false;
    this.#bytesBefore = this.#socket.bytesRead;
    this.#owner.onFree(this);
  }
}

function endRequest(req: ClientRequest): void {
  req.end();
}

function headOf({ statusCode, headers }: IncomingMessage): ReplyHead {
  const length = headers['content-length'];
  const encoding = headers['content-encoding'];
  return {
    status: statusCode!,
    contentType: headers['content-type'] ?? 'application/json',
    contentEncoding: encoding === '' || encoding?.toLowerCase() === 'identity' ? undefined : encoding,
    retryAfter: headers['retry-after'],
    contentLength: length === undefined || headers['transfer-encoding'] !== undefined ? -1 : Number(length),
  };
}

function keepAliveOf(value: string | string[] | undefined): number {
  if (value === undefined) return KEEP_ALIVE_MS;
  const seconds = /(?:^|[\s,])timeout=(\d{1,9})/i.exec(String(value))?.[1];
  return seconds === undefined
    ? KEEP_ALIVE_MS
    : Math.min(KEEP_ALIVE_MS_MAX, Math.max(0, Number(seconds) * 1_000 - KEEP_ALIVE_MARGIN_MS));
}

/** Headers that a configuration must not set: the connection itself decides how a request is framed. */
const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The headers of every request to a server: name, value, name, value. If a name is given twice, the last value counts.
 * @throws Error for a value that would break its line
 */
export function listHeaders(
  host: string,
  headers: readonly (readonly [name: string, value: string])[],
): string[] {
  const listed = new Map([
    ['host', ['Host', host]],
    ['connection', ['Connection', 'keep-alive']],
  ]);
  for (const [name, value] of headers) {
    if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new Error(`expected a header that fits on a line, got ${name}`);
    if (!FRAMING.has(name.toLowerCase())) listed.set(name.toLowerCase(), [name, value]);
  }
  return [...listed.values()].flat();
}

/** @throws Error for a path that would break its line */
export function assertPath(path: string): void {
  if (!/^\/[\x21-\x7e\x80-\xff]*$/.test(path))
    throw new Error('expected a path without spaces and control characters');
}

export const ABORTED = new Error('the reply is not wanted any more');
const ENDED = new Error('the connection is not used again');
