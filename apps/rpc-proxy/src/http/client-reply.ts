import type { TokenResult } from '@chainwatch/cache';
import type { ReplyChannel } from './reply-channel.ts';
import type { ReplyHead } from '../upstreams/reply-head.ts';
import type { AnswerSink } from '../cache/in-flight-request.ts';
import { withId, type StoredReply } from '../cache/stored-reply.ts';
import type { MemoryQuota } from '../limits/tenants.ts';
import { answerFull, FULL_RETRY_SECONDS } from '../limits/answer-full.ts';
import { withoutPage } from '../upstream-request/judge-reply.ts';
import type { Failure, WholeReply } from '../upstream-request/outcome.ts';
import { pushLimitHeaders } from '../limits/key-limits.ts';

/** Nothing longer than this is held back: the first byte goes out, and the rest is passed on as it comes. */
const WHOLE_BYTES_MAX = 131_072;

/** Size of an unread answer beyond its body: its head, and the objects that hold it. */
const ANSWER_BYTES = 512;

const FAILURES: Readonly<Record<'unavailable' | 'timeout', readonly [number, string]>> = {
  unavailable: [502, 'network unavailable'],
  timeout: [504, 'network unavailable: no answer within 30 seconds'],
};

const EMPTY: Buffer = Buffer.alloc(0);

/** What the observer of a client's reply is told. */
export interface ReplyOutcome {
  readonly status: number;
  readonly bytes: number;
  readonly isFailure: boolean;
}

/** The response to one client: the node's bytes as they came, or the gateway's own `{error}` (interface.md). */
export class ClientReply implements AnswerSink {
  readonly wholeBytesMax = WHOLE_BYTES_MAX;
  readonly #channel: ReplyChannel;
  /** Pays for the answer until it is out; undefined for strangers, who get only short answers. */
  quota: MemoryQuota | undefined;
  /** Called when the answer is out, or the client is gone. */
  onOut: (() => void) | undefined;
  limit: TokenResult | undefined;
  /** CORS headers for a page of another origin: name, value, name, value. */
  crossOrigin: readonly string[] | undefined;
  /** The call has no id, so an empty reply is correct. */
  isNotification = false;
  onDone: ((outcome: ReplyOutcome) => void) | undefined;
  #status = 0;
  #bytes = 0;
  #held = 0;

  constructor(channel: ReplyChannel) {
    this.#channel = channel;
  }

  /** What to do when the client leaves before its answer is out; the last one given counts. */
  onLeave(leave: () => void): void {
    this.#channel.onLeave(leave);
  }

  whole(given: WholeReply): void {
    const reply = given.status < 400 ? given : withoutPage(given);
    const { body } = reply;
    if (body.length === 0 && this.isNotification && reply.status < 300) return this.noContent();
    if (!this.#hold(body.length)) return;
    this.#channel.send(reply.status, this.#headersOf(reply, body.length), body);
    this.#done(reply.status, body.length, reply.status >= 500);
  }

  /** Sends an earlier answer under this call's id. */
  stored(stored: StoredReply, id: Buffer, status: number): void {
    if (this.#channel.isGone || !this.#hold(stored.body.length)) return;
    const bytes = withId(stored, id);
    const headers = ['Content-Type', stored.contentType, 'Content-Length', String(bytes.length)];
    this.#pushMore(headers);
    this.#channel.send(status, headers, bytes);
    this.#done(status, bytes.length, false);
  }

  start(head: ReplyHead, pieces: readonly Buffer[], resume: () => void): boolean {
    this.#status = head.status;
    for (const piece of pieces) this.#bytes += piece.length;
    return this.#channel.begin(
      { status: head.status, headers: this.#headersOf(head, head.contentLength) },
      pieces,
      resume,
    );
  }

  /** A piece that the kernel takes at once is done with; otherwise it is needed until it is written. */
  data(piece: Buffer): boolean {
    this.#bytes += piece.length;
    return this.#channel.write(piece);
  }

  /** Releases what was held for the node's answer, although the client may not have read its end yet. */
  end(): void {
    const bytes = this.#channel.unsentBytes;
    if (this.quota !== undefined && bytes > 0 && !this.#channel.isGone) {
      this.quota.takeAnyway(bytes);
      this.#held += bytes;
      this.#channel.watcher = this;
    }
    this.#channel.end();
    this.#done(this.#status, this.#bytes, false);
  }

  /** The head is already out: a body that ended in order would be taken for a complete one. */
  broken(): void {
    this.#channel.destroy();
    this.#done(this.#status, this.#bytes, true);
  }

  fail(failure: Failure): void {
    if (failure === 'unavailable' || failure === 'timeout') return this.refuse(...FAILURES[failure]);
    const { status, error } = answerFull(failure);
    this.refuse(status, error, ['Retry-After', FULL_RETRY_SECONDS]);
  }

  tellOut(): void {
    if (this.#held > 0) this.quota!.release(this.#held);
    this.#held = 0;
    this.onOut?.();
    this.onOut = undefined;
  }

  noContent(): void {
    if (this.#channel.isBegun || this.#channel.isGone) return;
    const headers: string[] = [];
    this.#pushMore(headers);
    this.#channel.send(204, headers, EMPTY);
    this.#done(204, 0, false);
  }

  /** Answers in the gateway's own name. */
  refuse(status: number, error: string, more: readonly string[] = []): void {
    if (this.#channel.isBegun || this.#channel.isGone) return;
    const body = Buffer.from(JSON.stringify({ error }));
    const headers = ['Content-Type', 'application/json', 'Content-Length', String(body.length), ...more];
    this.#pushMore(headers);
    if (this.onOut !== undefined) this.#channel.watcher = this;
    this.#channel.send(status, headers, body);
    this.#done(status, body.length, true);
  }

  /** @returns false if there is no room for the answer; the client has then been told so */
  #hold(bytes: number): boolean {
    if (this.quota === undefined || this.#channel.isGone) return true;
    const full = this.quota.take(bytes + ANSWER_BYTES);
    if (full !== undefined) {
      this.fail(full);
      return false;
    }
    this.#held += bytes + ANSWER_BYTES;
    this.#channel.watcher = this;
    return true;
  }

  #headersOf(head: ReplyHead, length: number): string[] {
    const headers = ['Content-Type', head.contentType];
    if (length >= 0) headers.push('Content-Length', String(length));
    if (head.contentEncoding !== undefined)
      headers.push('Content-Encoding', head.contentEncoding, 'Vary', 'Accept-Encoding');
    if (head.retryAfter !== undefined) headers.push('Retry-After', head.retryAfter);
    this.#pushMore(headers);
    return headers;
  }

  #pushMore(headers: string[]): void {
    pushLimitHeaders(headers, this.limit);
    if (this.crossOrigin !== undefined) headers.push(...this.crossOrigin);
  }

  #done(status: number, bytes: number, isFailure: boolean): void {
    this.onDone?.({ status, bytes, isFailure });
    this.onDone = undefined;
  }
}
