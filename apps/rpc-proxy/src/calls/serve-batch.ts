// SPDX-License-Identifier: Apache-2.0
import { type Answer, withId } from '../cache/stored-reply.ts';
import type { ClientReply } from '../http/client-reply.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import { HeldParts } from '../limits/held-parts.ts';
import type { UpstreamQuery } from '../upstream-request/upstream-query.ts';
import { DEADLINE_MS } from '../upstream-request/upstream-request.ts';
import type { Ticking } from '../upstreams/clock.ts';
import type { ReplyHead } from '../upstreams/reply-head.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { askAlone, type Caller, type CallSharing } from './call-sharing.ts';
import { queryOf, type RuledCall } from './ruled-call.ts';
import { askFilter } from './ask-filter.ts';
import { isNull, scanReply } from '../json/scan-reply.ts';
import { skipSpace } from '../json/skip-value.ts';
import { answerFull } from '../limits/answer-full.ts';
import { sayRefused } from '../upstream-request/judge-reply.ts';
import type { Failure, WholeReply } from '../upstream-request/outcome.ts';

const AT_ONCE_MAX = 16;

const HEAD: ReplyHead = {
  status: 200,
  contentType: 'application/json',
  contentEncoding: undefined,
  retryAfter: undefined,
  contentLength: -1,
};

/** JSON-RPC 2.0, section 6: what answers an empty batch. */
const EMPTY_BATCH = Buffer.from(
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: expected a batch of at least one call"}}',
);

/**
 * Serves each call of a batch as a call of its own, a few at a time, and answers with one array in the order of the
 * calls, within the time of one call. A batch with a write goes call by call, and to the nodes alone: what stands behind
 * the write sees it.
 */
export async function serveBatch(
  sharing: CallSharing | undefined,
  request: RpcRequest,
  calls: readonly RuledCall[],
): Promise<void> {
  const { reply } = request;
  if (calls.length === 0) return reply.whole({ ...HEAD, body: EMPTY_BATCH });
  // The calls are cut out of the body, so it is held until the last one has its answer.
  const held = new HeldParts(request.quota);
  const full = held.take(request.body);
  if (full !== undefined) return reply.fail(full);
  const parts = await new Batch({ sharing, request, calls, held }).run().finally(() => held.release());
  const saving = request.chain.sessions.save(request.principal.keyId);
  if (saving !== undefined) await saving;
  if (reply.isGone) return;
  reply.failedCalls = new Set(parts.flatMap(({ isFailure }, index) => (isFailure ? [index] : [])));
  respond(reply, parts);
}

interface BatchOptions {
  /** Undefined: each call goes to a node. */
  readonly sharing: CallSharing | undefined;
  readonly request: RpcRequest;
  readonly calls: readonly RuledCall[];
  readonly held: HeldParts;
}

class Batch implements Ticking {
  readonly #sharing: CallSharing | undefined;
  readonly #request: RpcRequest;
  readonly #calls: readonly RuledCall[];
  readonly #held: HeldParts;
  readonly #atOnceMax: number;
  readonly #deadline: number;
  readonly #parts: (Part | undefined)[];
  /** The calls in flight, by index. */
  readonly #inFlight = new Set<number>();
  /** The node that took the last write. */
  #writtenTo: Upstream | undefined;
  #next = 0;
  /** The client left, or the time is over: nobody waits for the calls in flight. */
  isGone = false;
  place: number | undefined;
  /** Number of calls without a reply. */
  #open: number;
  #resolve: (parts: readonly Part[]) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor({ sharing, request, calls, held }: BatchOptions) {
    const hasWrite = calls.some(isWrite);
    this.#sharing = hasWrite ? undefined : sharing;
    this.#request = request;
    this.#calls = calls;
    this.#held = held;
    this.#atOnceMax = hasWrite ? 1 : AT_ONCE_MAX;
    this.#deadline = request.chain.clock.now + DEADLINE_MS;
    this.#parts = calls.map(() => undefined);
    this.#open = calls.length;
  }

  /** Brings a part for each call, by index, when all are there or the time is over. */
  async run(): Promise<readonly Part[]> {
    const { chain } = this.#request;
    chain.clock.add(this);
    try {
      return await new Promise((resolve, reject) => {
        this.#resolve = resolve;
        this.#reject = reject;
        this.#startMore();
      });
    } finally {
      chain.clock.remove(this);
      this.isGone = true;
    }
  }

  /** Calls that have no reply when the time is over get an error. */
  tick(now: number): void {
    if (this.#request.reply.isGone && !this.isGone) this.#leave();
    if (now < this.#deadline) return;
    this.#open = 0;
    this.#resolve(
      this.#calls.map((call, index) => this.#parts[index] ?? failurePart(this.#idOf(call), 'timeout')),
    );
  }

  #startMore(): void {
    while (this.#next < this.#calls.length && this.#mayStart()) {
      const index = this.#next++;
      const call = this.#calls[index]!;
      if (this.isGone && !isWrite(call)) {
        this.#finish(index, NO_PART);
        continue;
      }
      this.#inFlight.add(index);
      this.#ask(call)
        .then((answer) => {
          const upstream = answer.type === 'whole' ? answer.upstream : undefined;
          if (upstream !== undefined && isWrite(call)) this.#writtenTo = upstream;
          this.#finish(index, toPart(answer, this.#idOf(call)));
          if (this.#open > 0) this.#startMore();
        })
        .catch(this.#reject);
    }
  }

  /** One call at a time where memory becomes short, so that there is room for many batches. */
  #mayStart(): boolean {
    const { size } = this.#inFlight;
    return size === 0 || (size < this.#atOnceMax && this.#request.quota.isHalfFree);
  }

  async #ask(ruled: RuledCall): Promise<Answer> {
    const caller: Caller = {
      queryOf: () => this.#queryOf(ruled),
      wholeBytesMax: PART_BYTES_MAX,
      client: this,
      deadline: this.#deadline,
    };
    if (ruled.rule.kind === 'filter') return askFilter(this.#request, ruled, caller);
    return this.#sharing?.covers(this.#request, ruled) === true
      ? this.#sharing.answer(this.#request, ruled, () => caller)
      : askAlone(caller);
  }

  #finish(index: number, part: Part): void {
    this.#inFlight.delete(index);
    if (this.#open === 0 || this.#parts[index] !== undefined) return;
    const full = this.#held.take(part.body);
    this.#parts[index] = full === undefined ? part : failurePart(this.#idOf(this.#calls[index]!), full);
    this.#open -= 1;
    if (this.#open === 0) this.#resolve(this.#parts as readonly Part[]);
  }

  /** The client left: reads are given up. Writes go on, and so do those behind them. */
  #leave(): void {
    this.isGone = true;
    for (const index of [...this.#inFlight]) if (!isWrite(this.#calls[index]!)) this.#finish(index, NO_PART);
  }

  #idOf({ call }: RuledCall): Buffer | undefined {
    return call.idStart === -1 ? undefined : this.#request.body.subarray(call.idStart, call.idEnd);
  }

  #queryOf(ruled: RuledCall): UpstreamQuery {
    return {
      ...queryOf(this.#request, ruled),
      body: this.#request.body.subarray(ruled.call.start, ruled.call.end),
      acceptEncoding: undefined,
      ...(this.#writtenTo === undefined ? {} : { first: this.#writtenTo }),
    };
  }
}

function isWrite({ rule: { kind } }: RuledCall): boolean {
  return kind === 'send' || kind === 'once';
}

/** Notifications have no reply in the array. */
function respond(client: ClientReply, parts: readonly Part[]): void {
  const replies = parts.map(({ body }) => body).filter(({ length }) => length > 0);
  if (replies.length === 0) return client.noContent();
  const pieces = replies.flatMap((part, index) => (index === 0 ? [part] : [COMMA, part]));
  client.whole({ ...HEAD, body: Buffer.concat([OPEN, ...pieces, CLOSE]) });
}

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');

/** Limit for the answer to one call of a batch. */
const PART_BYTES_MAX = 8 * 1_048_576;

/** The reply to one call of a batch. Empty for a notification. */
interface Part {
  readonly body: Buffer;
  /** The gateway itself answers with an error. */
  readonly isFailure: boolean;
}

/** @param id undefined for a notification */
function toPart(answer: Answer, id: Buffer | undefined): Part {
  switch (answer.type) {
    case 'whole':
      return id === undefined ? NO_PART : fitReply(answer.reply, id);
    case 'stored':
      return { body: withId(answer.stored, answer.id), isFailure: false };
    case 'large':
      answer.cancel();
      return errorPart(id, toError(TOO_LARGE));
    case 'failed':
      return failurePart(id, answer.failure);
    case 'gone':
      return NO_PART;
  }
}

const EMPTY = Buffer.alloc(0);
/** The reply to a notification. */
const NO_PART: Part = { body: EMPTY, isFailure: false };

const TOO_LARGE = `the answer is too large for a batch: expected at most ${PART_BYTES_MAX} bytes`;

/**
 * A node's reply as a part of an array. An error that does not say which call it is about gets the call's id. Of anything
 * but a reply (a page, an object without an id, a reply that is cut) only the status is told.
 */
function fitReply({ status, body }: WholeReply, id: Buffer): Part {
  const reply = scanReply(body, skipSpace(body, 0));
  if (reply !== undefined && skipSpace(body, reply.end) === body.length) {
    const { idStart, idEnd, errorStart, errorEnd } = reply;
    if (idStart !== -1 && (!isNull(body, idStart, idEnd) || isNull(id, 0, id.length)))
      return { body, isFailure: false };
    if (body[errorStart] === 0x7b)
      return { ...errorPart(id, body.subarray(errorStart, errorEnd)), isFailure: false };
  }
  return status < 400 ? failurePart(id, 'unavailable') : errorPart(id, toError(sayRefused(status)));
}

/** The gateway's own answer to one call of a batch. @param id undefined for a notification */
function failurePart(id: Buffer | undefined, failure: Failure): Part {
  if (failure === 'timeout') return errorPart(id, toError('no answer within 30 seconds'));
  return errorPart(
    id,
    toError(failure === 'unavailable' ? 'network unavailable' : answerFull(failure).error),
  );
}

function toError(message: string): Buffer {
  return Buffer.from(`{"code":-32603,"message":"${message}"}`);
}

function errorPart(id: Buffer | undefined, error: Buffer): Part {
  if (id === undefined) return { body: EMPTY, isFailure: true };
  const pieces = [
    Buffer.from('{"jsonrpc":"2.0","id":'),
    id,
    Buffer.from(',"error":'),
    error,
    Buffer.from('}'),
  ];
  return { body: Buffer.concat(pieces), isFailure: true };
}
