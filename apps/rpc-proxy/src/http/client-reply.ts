// SPDX-License-Identifier: Apache-2.0
import type { TokenResult } from '@chainwatch/platform/cache';
import { counter, onScrape } from '@chainwatch/platform/telemetry';
import type { ReplyChannel } from './reply-channel.ts';
import type { ReplyHead } from '../upstreams/reply-head.ts';
import { withId, type Answer, type StoredAnswer } from '../cache/stored-reply.ts';
import type { MemoryQuota } from '../limits/tenants.ts';
import { answerFull, FULL_RETRY_SECONDS } from '../limits/answer-full.ts';
import type { Failure, LargeReply, WholeReply } from '../upstream-request/outcome.ts';
import { pushLimitHeaders } from '../limits/key-limits.ts';

/** Nothing longer than this is held back: the first byte goes out, and the rest is passed on as it comes. */
export const WHOLE_BYTES_MAX = 131_072;

/** Size of an unread answer beyond its body: its head, and the objects that hold it. */
const ANSWER_BYTES = 512;

const FAILURES: Readonly<Record<'unavailable' | 'timeout', readonly [number, string]>> = {
  unavailable: [502, 'network unavailable'],
  timeout: [504, 'network unavailable: no answer within 30 seconds'],
};

const answers = counter('chainwatch_rpc_answers_total', {
  description: 'Answers to clients by class of status, those of the gateway itself included',
});
const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'].map((status) => ({ status }));
/** Since the last scrape: a counter of the SDK for each answer would cost more than its head. */
const counted = CLASSES.map(() => 0);
onScrape(() => {
  for (const [index, labels] of CLASSES.entries()) {
    if (counted[index]! > 0) answers.add(counted[index], labels);
    counted[index] = 0;
  }
});

const EMPTY: Buffer = Buffer.alloc(0);

/** What the observer of a client's reply is told. */
export interface ReplyOutcome {
  readonly status: number;
  readonly bytes: number;
  readonly isFailure: boolean;
  /** The calls of a batch that the gateway itself answered with an error, by index. */
  readonly failedCalls?: ReadonlySet<number> | undefined;
}

/** The response to one client: the node's bytes as they came, or the gateway's own `{error}` (interface.md). */
export class ClientReply {
  readonly #channel: ReplyChannel;
  /** Pays for the answer until it is out; undefined for strangers, who get only short answers. */
  quota: MemoryQuota | undefined;
  limit: TokenResult | undefined;
  /** CORS headers for a page of another origin: name, value, name, value. */
  crossOrigin: readonly string[] | undefined;
  /** The call has no id, so an empty reply is correct. */
  isNotification = false;
  failedCalls: ReplyOutcome['failedCalls'];
  onDone: ((outcome: ReplyOutcome) => void) | undefined;

  constructor(channel: ReplyChannel) {
    this.#channel = channel;
  }

  /** The client left, or the connection was cut. */
  get isGone(): boolean {
    return this.#channel.isGone;
  }

  /** Calls back when the answer is out, or the client is gone. */
  onOut(listener: () => void): void {
    this.#channel.onOut(listener);
  }

  /** Sends an answer. @returns for a large one what resolves when its last piece was written */
  send(answer: Answer): Promise<void> | undefined {
    if (answer.type === 'large') return this.#sendLarge(answer);
    if (answer.type === 'whole') this.whole(answer.reply);
    else if (answer.type === 'stored') this.#sendStored(answer);
    else if (answer.type === 'failed') this.fail(answer.failure);
    return undefined;
  }

  whole(reply: WholeReply): void {
    const { body } = reply;
    if (body.length === 0 && this.isNotification && reply.status < 300) return this.noContent();
    if (!this.#hold(body.length)) return;
    this.#channel.send(reply.status, this.#headersOf(reply, body.length), body);
    this.#done(reply.status, body.length, reply.status >= 500);
  }

  /** Sends an earlier answer under this call's id. */
  #sendStored({ stored, id }: StoredAnswer): void {
    if (this.#channel.isGone || !this.#hold(stored.body.length)) return;
    const bytes = withId(stored, id);
    const headers = ['Content-Type', stored.contentType, 'Content-Length', String(bytes.length)];
    this.#pushMore(headers);
    this.#channel.send(200, headers, bytes);
    this.#done(200, bytes.length, false);
  }

  /** The next piece is asked for when the kernel has the last one. */
  async #sendLarge({ head, pieces, cancel, onCancel }: LargeReply): Promise<void> {
    const channel = this.#channel;
    if (channel.isGone) return cancel();
    let bytes = 0;
    let isCut = false;
    // The time is over, although the client has not read everything.
    const cut = (): void => {
      isCut = !channel.isGone;
      channel.destroy();
    };
    onCancel(cut);
    channel.begin(head.status, this.#headersOf(head, head.contentLength));
    try {
      for await (const piece of pieces) {
        bytes += piece.length;
        const written = channel.write(piece);
        if (written !== undefined) await written;
        if (channel.isGone && !isCut) return;
      }
      channel.end();
      this.#done(head.status, bytes, false);
    } catch {
      const isLeft = channel.isGone && !isCut;
      // The head is already out: a body that ended in order would be taken for a complete one.
      channel.destroy();
      if (!isLeft) this.#done(head.status, bytes, true);
    }
  }

  fail(failure: Failure): void {
    if (failure === 'unavailable' || failure === 'timeout') return this.refuse(...FAILURES[failure]);
    const { status, error } = answerFull(failure);
    this.refuse(status, error, ['Retry-After', FULL_RETRY_SECONDS]);
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
    this.#channel.send(status, headers, body);
    this.#done(status, body.length, true);
  }

  /** @returns false if there is no room for the answer; the client has then been told so */
  #hold(bytes: number): boolean {
    const { quota } = this;
    if (quota === undefined || this.#channel.isGone) return true;
    const held = bytes + ANSWER_BYTES;
    const full = quota.take(held);
    if (full !== undefined) {
      this.fail(full);
      return false;
    }
    this.#channel.onOut(() => quota.release(held));
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
    counted[Math.floor(status / 100) - 1]! += 1;
    this.onDone?.({ status, bytes, isFailure, failedCalls: this.failedCalls });
    this.onDone = undefined;
  }
}
