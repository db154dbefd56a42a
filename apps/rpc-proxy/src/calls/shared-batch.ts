import type { ReplyHead } from '../upstreams/reply-head.ts';
import { withId, type StoredReply } from '../cache/stored-reply.ts';
import type { UpstreamQuery } from '../upstream-request/upstream-query.ts';
import { UpstreamRequest } from '../upstream-request/upstream-request.ts';
import type { Failure, ResponseSink, WholeReply } from '../upstream-request/response-sink.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import { idKeyOf } from '../json/scan-reply.ts';
import { answerFull } from '../limits/answer-full.ts';
import { HeldParts } from '../limits/held-parts.ts';
import type { ScannedCall } from '../json/scan-body.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { join, readBatch, respondWithParts } from './assemble-batch.ts';
import { InFlightBatchCall } from './in-flight-batch-call.ts';
import { cacheCallOf, cacheKeyOf, type CallSharing } from './call-sharing.ts';
import { queryOf, type RuledCall } from './ruled-call.ts';
import { errorPart, PartSink } from './part-sink.ts';
import { askPart } from './split-batch.ts';

interface SharedBatchParts {
  readonly sharing: CallSharing;
  readonly request: RpcRequest;
  readonly calls: readonly RuledCall[];
  /** Sends the batch as it is if its answer turns out to be too large to assemble. */
  readonly serveWhole: () => void;
}

/**
 * A batch of reads. Answers that are cached, or already asked for by somebody else, are taken from there. The rest goes
 * to one node, in the client's own bytes if the rest is the whole batch. The answers stand in the order of the calls.
 */
export class SharedBatch implements ResponseSink {
  /** Larger replies are passed on as they come, and none of their parts is cached. */
  readonly wholeBytesMax = 8 * 1_048_576;
  readonly #sharing: CallSharing;
  readonly #request: RpcRequest;
  readonly #calls: readonly RuledCall[];
  readonly #serveWhole: () => void;
  readonly #parts: (Buffer | undefined)[];
  readonly #held: HeldParts;
  /** Indexes of the calls that go to the node. */
  #rest: number[] = [];
  /** Those of `#rest` that other calls may join. */
  readonly #inFlightRequests = new Map<number, InFlightBatchCall>();
  /** By index of a part that another request brings: what to do when the client leaves. */
  readonly #leaves = new Map<number, () => void>();
  readonly #idCounts = new Map<string, number>();
  #upstreamRequest: UpstreamRequest | undefined;
  /** Parts that are still missing: one for each that another request brings, and one for all that the node brings. */
  #open = 1;
  #isGone = false;
  /** The client has its answer, or the batch was handed to `serveWhole`. */
  #isDone = false;

  constructor({ sharing, request, calls, serveWhole }: SharedBatchParts) {
    this.#sharing = sharing;
    this.#request = request;
    this.#calls = calls;
    this.#serveWhole = serveWhole;
    this.#parts = calls.map(() => undefined);
    this.#held = new HeldParts(request.quota);
  }

  ask(): void {
    this.#request.reply.onLeave(() => this.#leave());
    for (const index of this.#calls.keys()) this.#place(index);
    const { cache } = this.#sharing;
    const found = this.#rest.map((index) => {
      const inFlight = this.#inFlightRequests.get(index);
      return inFlight && cache.findShared(inFlight.call);
    });
    if (found.every((promise) => promise === undefined)) return this.#send();
    void Promise.all(found.map((promise) => promise ?? NOTHING)).then((list) => {
      for (const [at, stored] of list.entries())
        if (stored !== undefined) this.#adopt(this.#rest[at]!, stored);
      this.#rest = this.#rest.filter((_, at) => list[at] === undefined);
      this.#send();
    });
  }

  whole(reply: WholeReply, upstream?: Upstream): void {
    const { reply: client, body } = this.#request;
    const expected = this.#rest.filter((index) => this.#calls[index]!.call.idStart !== -1);
    const read =
      reply.contentEncoding === undefined
        ? readBatch(
            body,
            expected.map((index) => this.#calls[index]!.call),
            reply.body,
          )
        : undefined;
    // A page, or an error of a proxy in front of the node, is passed to the client as it is.
    if (read === undefined && expected.length > 0)
      return this.#end(
        (inFlight) => inFlight.release(),
        () => client.whole(reply),
      );
    const isAll = this.#rest.length === this.#calls.length;
    for (const [at, index] of expected.entries()) {
      if (!isAll) this.#keep(index, read!.items[at]!);
      this.#resolve(index, (inFlight) =>
        inFlight.resolve(read!.items[at]!, { reply, upstream, cache: this.#sharing.cache }),
      );
    }
    if (!isAll) return this.#close();
    this.#end(
      () => undefined,
      () => client.whole({ ...reply, body: read!.isInOrder ? reply.body : join(read!.items) }),
    );
  }

  start(head: ReplyHead, pieces: readonly Buffer[], resume: () => void): boolean {
    let isFlowing = true;
    const isWhole = this.#rest.length === this.#calls.length;
    if (!isWhole) this.#upstreamRequest?.abandon();
    this.#end(
      (inFlight) => inFlight.release(),
      () => {
        if (isWhole) isFlowing = this.#request.reply.start(head, pieces, resume);
        else this.#serveWhole();
      },
    );
    return isFlowing;
  }

  data(piece: Buffer): boolean {
    return this.#isGone || this.#request.reply.data(piece);
  }

  end(): void {
    if (!this.#isGone) this.#request.reply.end();
  }

  broken(): void {
    this.#request.reply.broken();
  }

  fail(failure: Failure): void {
    this.#end(
      (inFlight) => inFlight.release(),
      () => this.#request.reply.fail(failure),
    );
  }

  onQueued(): void {
    for (const inFlight of this.#inFlightRequests.values()) inFlight.tellQueued();
  }

  /** Takes a call's answer from the cache, joins a request in flight, or leaves the call for the node. */
  #place(index: number): void {
    const [request, ruled] = [this.#request, this.#calls[index]!];
    const { call, rule } = ruled;
    if (!this.#sharing.covers(request, ruled)) return void this.#rest.push(index);
    const id = request.body.subarray(call.idStart, call.idEnd);
    const key = cacheKeyOf(request.chain, { rule, body: request.body, call });
    this.#open += 1;
    const { taken, leave } = this.#sharing.take(
      key,
      {
        request,
        ruled,
        reply: new PartSink(
          id,
          (part) => this.#settle(index, part),
          () => undefined,
        ),
      },
      { goAlone: (_request, _ruled, deadline) => this.#askAlone(index, deadline) },
    );
    if (taken) {
      if (leave !== undefined) this.#leaves.set(index, leave);
      return;
    }
    this.#open -= 1;
    // If an id occurs twice, a node that reorders replies would decide which answer belongs to which call.
    if (this.#isIdTwice(call)) return void this.#rest.push(index);
    const inFlight = new InFlightBatchCall({
      call: cacheCallOf(key, request, ruled),
      id,
      key: request.quota.key,
      minBlockNumber: request.chain.minBlockOf(request.principal.keyId).number,
      onLeft: () => this.#abandonUnwanted(),
    });
    this.#sharing.inFlightRequests.add(key, inFlight);
    this.#inFlightRequests.set(index, inFlight);
    this.#rest.push(index);
  }

  #isIdTwice({ idStart, idEnd }: ScannedCall): boolean {
    const { body } = this.#request;
    if (this.#idCounts.size === 0) {
      for (const { call } of this.#calls) {
        if (call.idStart === -1) continue;
        const key = idKeyOf(body, call.idStart, call.idEnd);
        this.#idCounts.set(key, (this.#idCounts.get(key) ?? 0) + 1);
      }
    }
    return this.#idCounts.get(idKeyOf(body, idStart, idEnd)) !== 1;
  }

  #send(): void {
    if (this.#rest.length === 0) return this.#close();
    this.#upstreamRequest = new UpstreamRequest(this.#query(), this);
    this.#abandonUnwanted();
    if (!this.#isDone) this.#upstreamRequest.start();
  }

  #query(): UpstreamQuery {
    const { chain, body: sent, principal, quota } = this.#request;
    const rest = this.#rest.map((index) => this.#calls[index]!);
    const body =
      rest.length === this.#calls.length
        ? sent
        : join(rest.map(({ call }) => sent.subarray(call.start, call.end)));
    const asked = { body: sent, calls: rest.map(({ call }) => call), isBatch: true };
    if (rest.length === 1)
      return {
        ...queryOf(this.#request, { rule: rest[0]!.rule, body: sent, call: rest[0]!.call }),
        body,
        asked,
        acceptEncoding: undefined,
      };
    return {
      chain,
      quota,
      body,
      asked,
      kind: 'read',
      method: 'batch',
      params: '',
      minBlock: chain.minBlockOf(principal.keyId),
    };
  }

  /** Another replica had the answer. */
  #adopt(index: number, stored: StoredReply): void {
    const { call } = this.#calls[index]!;
    this.#sharing.countShared(this.#request, this.#calls[index]!);
    this.#keep(index, withId(stored, this.#request.body.subarray(call.idStart, call.idEnd)));
    this.#resolve(index, (inFlight) => inFlight.answer(stored));
  }

  #resolve(index: number, tell: (inFlight: InFlightBatchCall) => void): void {
    const inFlight = this.#inFlightRequests.get(index);
    if (inFlight === undefined) return;
    this.#inFlightRequests.delete(index);
    this.#sharing.inFlightRequests.remove(inFlight.call.key, inFlight);
    tell(inFlight);
  }

  #askAlone(index: number, deadline: number | undefined): () => void {
    if (this.#isDone) return () => undefined;
    return askPart({ request: this.#request, ruled: this.#calls[index]!, deadline }, (part) =>
      this.#settle(index, part),
    );
  }

  #settle(index: number, part: Buffer): void {
    this.#keep(index, part);
    this.#leaves.delete(index);
    this.#close();
  }

  /** Holds a part until the answer is assembled. If there is no room for it, its call gets an error. */
  #keep(index: number, part: Buffer): void {
    const full = this.#held.take(part);
    const { idStart, idEnd } = this.#calls[index]!.call;
    this.#parts[index] =
      full === undefined
        ? part
        : errorPart(this.#request.body.subarray(idStart, idEnd), answerFull(full).error);
  }

  #close(): void {
    this.#open -= 1;
    if (this.#open > 0) return;
    this.#end(
      () => undefined,
      () => respondWithParts(this.#request.reply, this.#parts),
    );
  }

  /** Ends the batch with one answer to the client, after everybody who shares a part has been notified. */
  #end(tell: (inFlight: InFlightBatchCall) => void, answer: () => void): void {
    if (this.#isDone) return;
    this.#isDone = true;
    for (const index of [...this.#inFlightRequests.keys()]) this.#resolve(index, tell);
    for (const leave of this.#leaves.values()) leave();
    this.#held.release();
    if (!this.#isGone) answer();
  }

  #leave(): void {
    this.#isGone = true;
    this.#held.release();
    for (const leave of this.#leaves.values()) leave();
    this.#abandonUnwanted();
  }

  /** Abandons the upstream request once the client and everybody who shared a part are gone. */
  #abandonUnwanted(): void {
    if (
      !this.#isGone ||
      this.#upstreamRequest === undefined ||
      [...this.#inFlightRequests.values()].some(({ isWanted }) => isWanted)
    )
      return;
    this.#end(
      () => undefined,
      () => undefined,
    );
    this.#upstreamRequest.abandon();
  }
}

const NOTHING = Promise.resolve(undefined);
