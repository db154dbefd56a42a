import type { ReplyHead } from '../upstreams/reply-head.ts';
import type { UpstreamQuery } from '../upstream-request/upstream-query.ts';
import type { Failure, WholeReply } from '../upstream-request/outcome.ts';
import { askInto, type ResponseSink } from '../upstream-request/response-sink.ts';
import type { MemoryQuota, KeyAccount } from '../limits/tenants.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { AnswerCache, CacheCall } from './answer-cache.ts';
import { type StoredReply, toStored } from './stored-reply.ts';

export interface AnswerSink extends ResponseSink {
  /** Sends an earlier answer, or the answer to another call, under this call's id. */
  stored(stored: StoredReply, id: Buffer, status: number): void;
}

/** The call that asked first, and its id. */
export interface Leader {
  readonly reply: AnswerSink;
  readonly id: Buffer;
}

/** A call that waits for another call's answer, and its id. */
export interface Waiter extends Leader {
  readonly key: KeyAccount;
  /** There is no answer to share: the call asks for itself, within its own deadline. */
  goAlone(): void;
}

/** Larger replies go to the leader only; they are neither cached nor shared. */
const SHARED_BYTES_MAX = 4 * 1_048_576;

/**
 * One upstream request for all calls that ask the same thing at the same time. They share a result, each under its own
 * id. Any other outcome (an error, also inside a result, a status, a timeout) goes to the leader alone, and each follower then asks for
 * itself.
 */
export class InFlightRequest implements ResponseSink {
  readonly wholeBytesMax: number;
  /** The least block of the leader's key: a key that has seen a higher block does not join. */
  readonly minBlockNumber: number;
  readonly #call: CacheCall;
  readonly #cache: AnswerCache;
  readonly #query: UpstreamQuery;
  #upstreamRequest: { abandon(): void } | undefined;
  readonly #onRemoved: () => void;
  readonly #onShared: () => void;
  readonly #leaderId: Buffer;
  /** Pays for the pieces that are kept. */
  readonly #quota: MemoryQuota;
  /** Undefined once it has left. */
  #leader: Leader | undefined;
  readonly #followers = new Set<Waiter>();
  #head: ReplyHead | undefined;
  #pieces: Buffer[] | undefined = [];
  #bytes = 0;
  #held = 0;
  /** The request had to wait for others of its key or workspace. */
  #isQueued = false;

  constructor(options: {
    call: CacheCall;
    cache: AnswerCache;
    query: UpstreamQuery;
    leader: Leader;
    onResolved: () => void;
    onShared: () => void;
  }) {
    this.#call = options.call;
    this.#cache = options.cache;
    this.#leader = options.leader;
    this.wholeBytesMax = options.leader.reply.wholeBytesMax;
    this.#leaderId = options.leader.id;
    this.#quota = options.query.quota;
    this.#onRemoved = options.onResolved;
    this.#onShared = options.onShared;
    this.minBlockNumber = options.query.minBlock.number;
    this.#query = options.query;
  }

  send(): void {
    const found = this.#cache.findShared(this.#call);
    if (found === undefined) return void (this.#upstreamRequest = askInto(this.#query, this));
    void found.then((stored) => {
      if (!this.#isWanted) return;
      if (stored === undefined) this.#upstreamRequest = askInto(this.#query, this);
      else this.#answer(stored);
    });
  }

  /** False while the request waits in the queue and the waiter belongs to another key. */
  takes({ key }: Waiter): boolean {
    return key === this.#quota.key || !this.#isQueued;
  }

  join(waiter: Waiter): void {
    this.#followers.add(waiter);
  }

  leave(waiter: Waiter): void {
    this.#followers.delete(waiter);
    this.#abandonUnwanted();
  }

  leaveLeader(): void {
    this.#leader = undefined;
    this.#abandonUnwanted();
  }

  whole(reply: WholeReply, upstream?: Upstream): void {
    this.#resolve();
    const stored = reply.body.length > SHARED_BYTES_MAX ? undefined : this.#store(reply, upstream);
    this.#leader?.reply.whole(reply, upstream);
    this.#serve(stored);
  }

  start(head: ReplyHead, pieces: readonly Buffer[], resume: () => void): boolean {
    this.#head = head;
    const own = pieces.map((piece) => this.#collect(piece));
    return this.#isFlowing(this.#leader?.reply.start(head, own, resume));
  }

  data(piece: Buffer): boolean {
    const own = this.#collect(piece);
    return this.#isFlowing(this.#leader?.reply.data(own));
  }

  end(upstream?: Upstream): void {
    this.#resolve();
    this.#leader?.reply.end();
    if (this.#pieces === undefined) return;
    this.#serve(this.#store({ ...this.#head!, body: Buffer.concat(this.#pieces, this.#bytes) }, upstream));
  }

  broken(): void {
    this.#resolve();
    this.#leader?.reply.broken();
    this.#serve(undefined);
  }

  fail(failure: Failure): void {
    this.#resolve();
    this.#leader?.reply.fail(failure);
    this.#serve(undefined);
  }

  onQueued(): void {
    this.#isQueued = true;
    for (const follower of [...this.#followers]) {
      if (follower.key === this.#quota.key) continue;
      this.#followers.delete(follower);
      follower.goAlone();
    }
  }

  get #isWanted(): boolean {
    return this.#leader !== undefined || this.#followers.size > 0;
  }

  #abandonUnwanted(): void {
    if (this.#isWanted) return;
    this.#resolve();
    this.#upstreamRequest?.abandon();
  }

  /** The request is over: no call can join, and the collected pieces are released. */
  #resolve(): void {
    this.#onRemoved();
    this.#quota.release(this.#held);
    this.#held = 0;
  }

  /** Another replica had the answer. */
  #answer(stored: StoredReply): void {
    this.#upstreamRequest?.abandon();
    this.#resolve();
    this.#onShared();
    this.#leader?.reply.stored(stored, this.#leaderId, 200);
    this.#serve(stored);
  }

  /** Answers every follower with what is stored, or lets each ask for itself if nothing is. */
  #serve(stored: StoredReply | undefined): void {
    const followers = [...this.#followers];
    this.#followers.clear();
    for (const follower of followers) {
      if (stored === undefined) follower.goAlone();
      else follower.reply.stored(stored, follower.id, 200);
    }
  }

  /**
   * A leader that reads slowly must not hold up its followers: the node's reply is read on for them, and the leader's
   * part waits in its own connection. From then on no other call joins, because it might wait for the leader.
   */
  #isFlowing(isLeaderReady = true): boolean {
    if (isLeaderReady) return true;
    this.#onRemoved();
    return this.#followers.size > 0;
  }

  /**
   * Pieces are only lent, so they are copied.
   * @returns the copy, or the piece itself once nothing is kept any more
   */
  #collect(piece: Buffer): Buffer {
    if (this.#pieces === undefined) return piece;
    this.#bytes += piece.length;
    if (this.#bytes <= SHARED_BYTES_MAX && this.#quota.take(piece.length) === undefined) {
      this.#held += piece.length;
      const copy = Buffer.from(piece);
      this.#pieces.push(copy);
      return copy;
    }
    this.#pieces = undefined;
    this.#resolve();
    this.#serve(undefined);
    return piece;
  }

  #store(reply: WholeReply, upstream: Upstream | undefined): StoredReply | undefined {
    const { chain, method } = this.#call;
    const stored = toStored(reply, this.#leaderId, chain.cacheRules.get(method));
    if (stored !== undefined && upstream !== undefined)
      this.#cache.keep(this.#call, { reply, stored, upstream });
    return stored;
  }
}
