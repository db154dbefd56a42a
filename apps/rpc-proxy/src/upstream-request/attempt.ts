// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';
import { AsyncLocalStorage } from 'node:async_hooks';
import { isTracing, startCall } from '@chainwatch/platform/telemetry';
import { skipSpace } from '../json/skip-value.ts';
import type { Full, MemoryQuota } from '../limits/tenants.ts';
import type { NodeReply } from '../upstreams/node-connection.ts';
import type { ReplyHead } from '../upstreams/reply-head.ts';
import type { NodeCall, RequestMessage, Upstream } from '../upstreams/upstream.ts';
import { isError } from './judge-reply.ts';
import type { WholeReply } from './outcome.ts';
import { type Asked, fits, TailCheck } from './reply-check.ts';
import { hasForm, type Plain, type ReplyForm, toPlain } from './reply-form.ts';
import { TakenBody } from './taken-body.ts';

/** Memory reserved for an answer before anything of it is known. */
const EXPECTED_BYTES = 131_072;
const FIRST_BYTES = 4_096;

/** What one request to one node brought. */
export type AttemptOutcome =
  | { readonly type: 'whole'; readonly reply: WholeReply; readonly plain: Plain | undefined }
  /** The rest is read from `pieces`, which throw if the node breaks off or the reply answers another call. */
  | {
      readonly type: 'large';
      readonly head: ReplyHead;
      readonly plain: Plain;
      readonly pieces: AsyncGenerator<Buffer>;
      /** Resolves when the pieces have ended, with the reason if they broke off. */
      readonly over: Promise<Error | undefined>;
    }
  /** The reply answers another call, and its connection is gone. */
  | { readonly type: 'foreign'; readonly head: ReplyHead }
  /** What came is no answer: a page, an empty body, a reply in an encoding that cannot be read. */
  | { readonly type: 'broken'; readonly head: ReplyHead }
  /** There is no room for the answer. */
  | { readonly type: 'full'; readonly full: Full }
  | { readonly type: 'error'; readonly error: Error };

export interface AttemptOptions {
  readonly upstream: Upstream;
  /** Pays for what is held of the answer. */
  readonly quota: MemoryQuota;
  /** The call that the reply must answer; undefined if replies have no ids. */
  readonly asked: Asked | undefined;
  /** A larger reply comes in pieces. */
  readonly wholeBytesMax: number;
  /** Connections that have been idle for longer are not used. */
  readonly idleMsMax: number;
}

/** The rest of a large reply answers another call. */
export class ForeignReplyError extends BaseError {
  readonly code = 'foreign_reply';
  readonly retryable = true;

  constructor() {
    super('expected the id of the call in the reply, got another one');
  }
}

/** The rest of a large reply does not end as a reply ends. */
class BrokenReplyError extends BaseError {
  readonly code = 'broken_reply';
  readonly retryable = true;

  constructor() {
    super('expected the end of the reply, got something else');
  }
}

/** One request to one node. A reply is held until it is complete, or too large to hold; nothing is parsed here. */
export class Attempt implements NodeCall {
  readonly upstream: Upstream;
  readonly quota: MemoryQuota;
  readonly idleMsMax: number;
  /** When it was sent; before that, when it began to wait. */
  startedAt: number;
  isQueued = false;
  /** Bytes were sent: from here on the node may have acted. */
  isSent = false;
  isDone = false;
  abort: (() => void) | undefined;
  leave: (() => void) | undefined;
  /** Called when the attempt is cancelled. */
  onCancel: (() => void) | undefined;
  readonly #asked: Asked | undefined;
  readonly #wholeBytesMax: number;
  #body: TakenBody | undefined;
  /** Bytes taken from the quota, and how many of them are for the answer. */
  #held = 0;
  #room = 0;

  constructor({ upstream, quota, asked, wholeBytesMax, idleMsMax }: AttemptOptions) {
    this.upstream = upstream;
    this.quota = quota;
    this.idleMsMax = idleMsMax;
    this.startedAt = upstream.clock.now;
    this.#asked = asked;
    this.#wholeBytesMax = wholeBytesMax;
  }

  onSend(): void {
    this.isSent = true;
    this.startedAt = this.upstream.clock.now;
  }

  onReply({ body }: NodeReply): void {
    this.#body = new TakenBody(body);
  }

  /** Reserves memory for the request and the expected answer until the attempt is done. */
  reserve(bodyBytes: number): Full | undefined {
    const room = Math.min(EXPECTED_BYTES, this.#wholeBytesMax);
    const full = this.quota.take(bodyBytes + room);
    if (full !== undefined) return full;
    this.#held = bodyBytes + room;
    this.#room = room;
    return undefined;
  }

  /** Never rejects. After a large outcome, the attempt is done when its pieces are read or it is cancelled. */
  async run(message: RequestMessage): Promise<AttemptOutcome> {
    let outcome: AttemptOutcome;
    try {
      const reply = await this.upstream.send(this, message);
      outcome = await this.#read(reply);
    } catch (error) {
      outcome = { type: 'error', error: error as Error };
    }
    if (outcome.type === 'foreign' || outcome.type === 'broken' || outcome.type === 'full') this.cancel();
    else if (outcome.type !== 'large') this.#finish();
    return outcome;
  }

  /** The attempt is no longer wanted. */
  cancel(): void {
    if (this.isDone) return;
    this.#finish();
    this.abort?.();
    this.onCancel?.();
  }

  async #read(reply: NodeReply): Promise<AttemptOutcome> {
    const { head } = reply;
    const body = this.#body!;
    this.#hear();
    const pieces: Buffer[] = [];
    let bytes = 0;
    for (let piece = await body.next(); piece !== undefined; piece = await body.next()) {
      this.#hear();
      pieces.push(piece);
      bytes += piece.length;
      const full = this.#makeRoom(bytes, head.contentLength);
      if (full !== undefined) return { type: 'full', full };
      if (bytes > this.#wholeBytesMax) return this.#readLarge(reply, pieces, bytes);
    }
    const whole = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, bytes);
    const plain = toPlain(whole, head.contentEncoding, true);
    if (this.#asked !== undefined && plain !== undefined && fits(this.#asked, plain) === false)
      return { type: 'foreign', head };
    if (!isError(head.status) && (plain === undefined || !hasForm(this.#form, plain)))
      return { type: 'broken', head };
    reply.accept();
    const { status, contentType, contentEncoding, retryAfter, contentLength } = head;
    // Members are named one by one: a spread plus one more member is a slow path of V8.
    return {
      type: 'whole',
      reply: { status, contentType, contentEncoding, retryAfter, contentLength, body: whole },
      plain,
    };
  }

  /** What the body of a success has to be. */
  get #form(): ReplyForm {
    if (this.#asked === undefined) return 'path';
    return this.#asked.call.idStart === -1 ? 'notification' : 'reply';
  }

  /**
   * Checks a reply too large to hold: its first bytes and, if it is not compressed, its last ones before they are passed
   * on.
   */
  #readLarge(reply: NodeReply, first: readonly Buffer[], bytes: number): AttemptOutcome {
    const { head } = reply;
    const start = first[0]!.length >= FIRST_BYTES ? first[0]! : Buffer.concat(first).subarray(0, FIRST_BYTES);
    const plain = toPlain(start, head.contentEncoding, false);
    const isOwn = this.#asked === undefined || plain === undefined ? undefined : fits(this.#asked, plain);
    if (isOwn === false) return { type: 'foreign', head };
    if (plain === undefined || !hasForm(this.#form, plain)) return { type: 'broken', head };
    let tail: TailCheck | undefined;
    if (head.contentEncoding === undefined) {
      const opening = plain.bytes[skipSpace(plain.bytes, 0)]!;
      tail = new TailCheck(isOwn === undefined ? this.#asked : undefined, opening);
      for (const piece of first) tail.add(piece);
      const fault = bytes === head.contentLength ? tail.fault : undefined;
      if (fault !== undefined) return { type: fault, head };
    }
    let end: (error?: Error) => void = () => undefined;
    const over = new Promise<Error | undefined>((resolve) => (end = resolve));
    return { type: 'large', head, plain, pieces: this.#readOn(reply, { first, tail, end }), over };
  }

  async *#readOn(
    { head, accept }: NodeReply,
    {
      first,
      tail,
      end,
    }: {
      readonly first: readonly Buffer[];
      readonly tail: TailCheck | undefined;
      readonly end: (error?: Error) => void;
    },
  ): AsyncGenerator<Buffer> {
    const body = this.#body!;
    let bytes = 0;
    try {
      for (const piece of first) {
        bytes += piece.length;
        yield piece;
      }
      for (let piece = await body.next(); piece !== undefined; piece = await body.next()) {
        this.#hear();
        bytes += piece.length;
        tail?.add(piece);
        // Checked before the last bytes go out: a client that has received the full length has an answer.
        if (bytes === head.contentLength) expectSound(tail);
        yield piece;
      }
      expectSound(tail);
      accept();
      this.#finish();
    } catch (error) {
      end(error as Error);
      throw error;
    } finally {
      body.leave();
      this.cancel();
      end();
    }
  }

  #hear(): void {
    this.upstream.lastHeardAt = this.upstream.clock.now;
  }

  /** Reserves memory for what has arrived and what the node announced. */
  #makeRoom(bytes: number, contentLength: number): Full | undefined {
    const wanted = Math.max(bytes, Math.min(contentLength, this.#wholeBytesMax));
    if (wanted <= this.#room) return undefined;
    const room = Math.max(wanted, Math.min(this.#room * 2, this.#wholeBytesMax));
    const full = this.quota.take(room - this.#room);
    if (full !== undefined) return full;
    this.#held += room - this.#room;
    this.#room = room;
    return undefined;
  }

  #finish(): void {
    if (this.isDone) return;
    this.isDone = true;
    this.quota.release(this.#held);
    this.#held = 0;
    this.upstream.finish(this);
  }
}

function expectSound(tail: TailCheck | undefined): void {
  const fault = tail?.fault;
  if (fault === 'foreign') throw new ForeignReplyError();
  if (fault === 'broken') throw new BrokenReplyError();
}

/** Starts the span of a request to a node; what it returns ends it. */
export type TraceAttempt = (upstream: Upstream) => ReturnType<typeof startCall>;

/**
 * Makes spans in the trace of the call that asks, also for a second request that a clock starts. Of the node's URL they tell
 * the host alone: the rest may be a secret. Undefined while no spans are recorded.
 */
export function traceAttempts(method: string): TraceAttempt | undefined {
  if (!isTracing()) return undefined;
  const inTrace = AsyncLocalStorage.snapshot();
  return ({ source }) => {
    const { hostname, port } = new URL(source.url);
    const attributes = {
      ...{ 'rpc.system': 'jsonrpc', 'rpc.method': method },
      ...{ 'server.address': hostname, 'server.port': port === '' ? undefined : Number(port) },
    };
    return inTrace(() => startCall(method, attributes));
  };
}

/** How an attempt failed, for `error.type`; undefined for an answer. */
export function failureOf(outcome: AttemptOutcome): string | undefined {
  if (outcome.type === 'error') return (outcome.error as { code?: string }).code ?? outcome.error.name;
  if (outcome.type === 'whole') return outcome.reply.status >= 500 ? String(outcome.reply.status) : undefined;
  return outcome.type === 'large' ? undefined : outcome.type;
}
