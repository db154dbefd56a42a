import type { ServerResponse } from 'node:http';
import type { TokenResult } from '@chainwatch/cache';
import type { AnswerReceiver } from '../cache/flight.ts';
import { withId, type StoredReply } from '../cache/memory-store.ts';
import type { Failure, ReplyHead, WholeReply } from '../exchange/receiver.ts';
import { pushLimitHeaders } from './limit-headers.ts';

/** Nothing is held back longer than that: the first byte goes out and the rest is passed on as it comes. */
const WHOLE_BYTES_MAX = 131_072;

/** Up to here a body is cheaper as text behind its head. */
const JOINED_BYTES_MAX = 8_192;

const FAILURES: Readonly<Record<Failure, readonly [number, string]>> = {
  unavailable: [502, 'network unavailable'],
  timeout: [504, 'network unavailable: no answer within 30 seconds'],
  busy: [503, 'too many calls are under way'],
};

/** What the observer of a client's reply is told. */
export interface ReplyOutcome {
  readonly status: number;
  readonly bytes: number;
  readonly isFailure: boolean;
}

/** The response to one client: bytes of the node as they came, or the gateway's own `{error}` (interface.md). */
export class ClientReply implements AnswerReceiver {
  readonly wholeBytesMax = WHOLE_BYTES_MAX;
  readonly res: ServerResponse;
  limit: TokenResult | undefined;
  /** A call without an id: an empty reply is no reply. */
  isNotification = false;
  onDone: ((outcome: ReplyOutcome) => void) | undefined;
  #status = 0;
  #bytes = 0;
  #isWaiting = false;
  #written: (() => void) | undefined;

  constructor(res: ServerResponse) {
    this.res = res;
  }

  whole(reply: WholeReply): void {
    const { body } = reply;
    if (body.length === 0 && this.isNotification && reply.status < 300) return this.noContent();
    this.#head(reply, body.length);
    this.#finish(body);
    this.#done(reply.status, body.length, reply.status >= 500);
  }

  /** An answer that was given before, under this call's id. */
  stored(stored: StoredReply, id: Buffer, status: number): void {
    if (this.res.destroyed) return;
    const bytes = withId(stored, id);
    const headers = ['Content-Type', stored.contentType, 'Content-Length', String(bytes.length)];
    pushLimitHeaders(headers, this.limit);
    this.res.writeHead(status, headers);
    this.#finish(bytes);
    this.#done(status, bytes.length, false);
  }

  start(head: ReplyHead, pieces: readonly Buffer[], resume: () => void): boolean {
    this.#status = head.status;
    this.#head(head, head.contentLength);
    this.#written = () => {
      if (!this.#isWaiting || this.res.writableLength > 0) return;
      this.#isWaiting = false;
      resume();
    };
    const { socket } = this.res;
    socket?.cork();
    for (const piece of pieces) this.data(piece);
    socket?.uncork();
    this.#isWaiting = this.res.writableLength > 0;
    return !this.#isWaiting;
  }

  /** What the kernel takes at once is done with; else the piece is needed until it is written. */
  data(piece: Buffer): boolean {
    const { socket } = this.res;
    this.#bytes += piece.length;
    // Held back by us, it is not held back until the next turn by `write` itself.
    socket?.cork();
    this.res.write(piece, this.#written);
    socket?.uncork();
    this.#isWaiting = this.res.writableLength > 0;
    return !this.#isWaiting;
  }

  end(): void {
    this.res.end();
    this.#done(this.#status, this.#bytes, false);
  }

  /** Headers are out: a body that ends in order would be taken for a whole one. */
  broken(): void {
    this.res.destroy();
    this.#done(this.#status, this.#bytes, true);
  }

  fail(failure: Failure): void {
    const [status, text] = FAILURES[failure];
    this.refuse(status, text);
  }

  noContent(): void {
    if (this.res.headersSent || this.res.destroyed) return;
    const headers: string[] = [];
    pushLimitHeaders(headers, this.limit);
    this.res.writeHead(204, headers).end();
    this.#done(204, 0, false);
  }

  /** An answer of the gateway itself. */
  refuse(status: number, error: string, more: readonly string[] = []): void {
    if (this.res.headersSent || this.res.destroyed) return;
    const body = JSON.stringify({ error });
    const headers = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body)), ...more];
    pushLimitHeaders(headers, this.limit);
    this.res.writeHead(status, headers).end(body);
    this.#done(status, body.length, true);
  }

  /**
   * A small body goes out with its head as one text, in one write. `end` with a body would make three pieces of it: the
   * head, the body and an end, whose way through the streams and the kernel costs as much as a request to a node.
   */
  #finish(body: Buffer): void {
    const { socket } = this.res;
    // Without a socket it waits behind earlier replies on the same connection.
    if (socket === null || body.length === 0 || body.length > JOINED_BYTES_MAX) return void this.res.end(body);
    socket.cork();
    this.res.write(body.toString('latin1', 0, body.length), 'latin1');
    socket.uncork();
    this.res.end();
  }

  #head(head: ReplyHead, length: number): void {
    const headers = ['Content-Type', head.contentType];
    if (length >= 0) headers.push('Content-Length', String(length));
    if (head.contentEncoding !== undefined) headers.push('Content-Encoding', head.contentEncoding, 'Vary', 'Accept-Encoding');
    if (head.retryAfter !== undefined) headers.push('Retry-After', head.retryAfter);
    pushLimitHeaders(headers, this.limit);
    this.res.writeHead(head.status, headers);
  }

  #done(status: number, bytes: number, isFailure: boolean): void {
    this.onDone?.({ status, bytes, isFailure });
    this.onDone = undefined;
  }
}
