import type { ReplyHead } from '../upstreams/reply-head.ts';
import type { ClientReply } from '../http/client-reply.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import { HeldParts } from '../limits/held-parts.ts';
import type { UpstreamQuery } from '../upstream-request/upstream-query.ts';
import { DEADLINE_MS } from '../upstream-request/upstream-request.ts';
import { askInto } from '../upstream-request/response-sink.ts';
import type { Ticking } from '../upstreams/clock.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { CallSharing } from './call-sharing.ts';
import { EMPTY_PART, failurePart, PartSink } from './part-sink.ts';
import { queryOf, type RuledCall } from './ruled-call.ts';
import { serveFilter } from './serve-filter.ts';

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
export function serveBatch(
  sharing: CallSharing | undefined,
  request: RpcRequest,
  calls: readonly RuledCall[],
): void {
  if (calls.length === 0) return request.reply.whole({ ...HEAD, body: EMPTY_BATCH });
  // The calls are cut out of the body, so it is held until the last one has its answer.
  const held = new HeldParts(request.quota);
  const full = held.take(request.body);
  if (full !== undefined) return request.reply.fail(full);
  new Batch({ sharing, request, calls, held }).start();
}

interface BatchParts {
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
  readonly #replies: (Buffer | undefined)[];
  /** The calls in flight by index: what to do when nobody waits for them. */
  readonly #inFlight = new Map<number, () => void>();
  /** The node that took the last write. */
  #writtenTo: Upstream | undefined;
  #next = 0;
  /** Number of calls without a reply. */
  #open: number;
  #isStarting = false;
  #isGone = false;
  #isOver = false;

  constructor({ sharing, request, calls, held }: BatchParts) {
    const hasWrite = calls.some(isWrite);
    this.#sharing = hasWrite ? undefined : sharing;
    this.#request = request;
    this.#calls = calls;
    this.#held = held;
    this.#atOnceMax = hasWrite ? 1 : AT_ONCE_MAX;
    this.#deadline = request.chain.clock.now + DEADLINE_MS;
    this.#replies = calls.map(() => undefined);
    this.#open = calls.length;
  }

  start(): void {
    const { chain, reply } = this.#request;
    reply.onLeave(() => this.#leave());
    chain.clock.add(this);
    this.#startMore();
  }

  /** Calls that have no reply when the time is over get an error. */
  tick(now: number): void {
    if (now < this.#deadline) return;
    this.#isOver = true;
    for (const leave of this.#inFlight.values()) leave();
    for (const [index, call] of this.#calls.entries())
      this.#replies[index] ??= failurePart(this.#idOf(call), 'timeout');
    this.#end();
  }

  // A loop and no recursion, because cached answers come synchronously.
  #startMore(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    while (this.#next < this.#calls.length && this.#mayStart()) {
      const index = this.#next++;
      if (this.#isGone && !isWrite(this.#calls[index]!)) {
        this.#finish(index, EMPTY_PART);
        continue;
      }
      const leave = this.#serve(index, this.#calls[index]!);
      if (this.#replies[index] === undefined) this.#inFlight.set(index, leave);
    }
    this.#isStarting = false;
  }

  /** One call at a time where memory becomes short, so that there is room for many batches. */
  #mayStart(): boolean {
    const { size } = this.#inFlight;
    return size === 0 || (size < this.#atOnceMax && this.#request.quota.isHalfFree);
  }

  /** @returns what to do when nobody waits for the call */
  #serve(index: number, ruled: RuledCall): () => void {
    const request = this.#request;
    const finish = (body: Buffer, upstream?: Upstream): void => this.#finish(index, body, upstream);
    const part = new PartSink(this.#idOf(ruled), finish, () => leave?.());
    const ownWay = {
      queryOf: (): UpstreamQuery => this.#queryOf(ruled),
      goAlone: (): (() => void) => {
        const query = { ...this.#queryOf(ruled), deadline: this.#deadline };
        const upstreamRequest = askInto(query, part);
        return () => upstreamRequest.abandon();
      },
    };
    const ask = (): (() => void) | undefined => {
      if (ruled.rule.kind === 'filter') return serveFilter(request, ruled, part);
      return this.#sharing?.covers(request, ruled) === true
        ? this.#sharing.answer({ request, ruled, reply: part }, ownWay)
        : ownWay.goAlone();
    };
    const leave = ask();
    return () => leave?.();
  }

  #finish(index: number, body: Buffer, upstream?: Upstream): void {
    if (this.#isOver || this.#replies[index] !== undefined) return;
    const call = this.#calls[index]!;
    const full = this.#held.take(body);
    this.#replies[index] = full === undefined ? body : failurePart(this.#idOf(call), full);
    if (upstream !== undefined && isWrite(call)) this.#writtenTo = upstream;
    this.#inFlight.delete(index);
    this.#open -= 1;
    if (this.#open === 0) this.#end();
    else this.#startMore();
  }

  /** The client left: reads are given up. Writes go on, and so do those behind them. */
  #leave(): void {
    this.#isGone = true;
    for (const [index, leave] of [...this.#inFlight]) {
      leave();
      if (!isWrite(this.#calls[index]!)) this.#finish(index, EMPTY_PART);
    }
  }

  #end(): void {
    const { chain, reply } = this.#request;
    this.#isOver = true;
    chain.clock.remove(this);
    this.#held.release();
    if (this.#isGone) return;
    // Until the client has read its answer, the channel keeps whatever it would call.
    reply.onLeave(() => undefined);
    respond(reply, this.#replies);
  }

  #idOf({ call }: RuledCall): Buffer | undefined {
    return call.idStart === -1 ? undefined : this.#request.body.subarray(call.idStart, call.idEnd);
  }

  #queryOf({ call, rule }: RuledCall): UpstreamQuery {
    const { body } = this.#request;
    return {
      ...queryOf(this.#request, { rule, body, call }),
      body: body.subarray(call.start, call.end),
      acceptEncoding: undefined,
      first: this.#writtenTo,
    };
  }
}

function isWrite({ rule: { kind } }: RuledCall): boolean {
  return kind === 'send' || kind === 'once';
}

/** Notifications have no reply in the array. */
function respond(client: ClientReply, parts: readonly (Buffer | undefined)[]): void {
  const replies = parts.filter((part): part is Buffer => part !== undefined && part.length > 0);
  if (replies.length === 0) return client.noContent();
  const pieces = replies.flatMap((part, index) => (index === 0 ? [part] : [COMMA, part]));
  client.whole({ ...HEAD, body: Buffer.concat([OPEN, ...pieces, CLOSE]) });
}

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');
