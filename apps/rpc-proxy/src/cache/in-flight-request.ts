import type { ReplyHead } from '@chainwatch/raw-http';
import type { UpstreamQuery } from '../upstream-request/upstream-query.ts';
import { UpstreamRequest } from '../upstream-request/upstream-request.ts';
import type { Failure, ResponseSink, WholeReply } from '../upstream-request/response-sink.ts';
import type { MemoryQuota, KeyAccount } from '../limits/memory-quota.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { AnswerCache, CacheCall } from './answer-cache.ts';
import type { StoredReply } from './memory-store.ts';
import { toStored } from './to-stored.ts';

export interface AnswerSink extends ResponseSink {
  /** An answer that was given before, or to somebody else, under this call's id. */
  stored(stored: StoredReply, id: Buffer, status: number): void;
}

/** Who asked first, and the id it asked with. */
export interface Leader {
  readonly reply: AnswerSink;
  readonly id: Buffer;
}

/** Who waits for somebody else's answer, and the id it goes by. */
export interface Waiter extends Leader {
  readonly key: KeyAccount;
  /** There is no answer to share: asks for itself, within its own time. */
  goAlone(): void;
}

/** A question under way that others may share. */
export interface InFlight {
  /** What the first client saw of the chain: who saw more does not join. */
  readonly minBlockNumber: number;
  /** Whether its answer does not depend on what its own key has under way. */
  takes(waiter: Waiter): boolean;
  join(waiter: Waiter): void;
  leave(waiter: Waiter): void;
}

const WHOLE_BYTES_MAX = 131_072;
/** Larger replies are streamed to who asked first, kept and shared by nobody. */
const SHARED_BYTES_MAX = 4 * 1_048_576;

/**
 * One request to the nodes for everybody who asks the same thing meanwhile. A result is everybody's, each under its own id;
 * whatever else comes of it (an error, a status, no answer in time) is the leader's alone, and each follower asks for itself.
 */
export class InFlightRequest implements ResponseSink, InFlight {
  readonly wholeBytesMax = WHOLE_BYTES_MAX;
  readonly minBlockNumber: number;
  readonly #call: CacheCall;
  readonly #cache: AnswerCache;
  readonly #upstreamRequest: UpstreamRequest;
  readonly #onRemoved: () => void;
  readonly #onShared: () => void;
  readonly #leaderId: Buffer;
  /** Pays for the pieces that are kept. */
  readonly #quota: MemoryQuota;
  /** Undefined when it left. */
  #leader: Leader | undefined;
  readonly #followers = new Set<Waiter>();
  #head: ReplyHead | undefined;
  #pieces: Buffer[] | undefined = [];
  #bytes = 0;
  #held = 0;
  /** It had to wait for others of its key or workspace. */
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
    this.#leaderId = options.leader.id;
    this.#quota = options.query.quota;
    this.#onRemoved = options.onResolved;
    this.#onShared = options.onShared;
    this.minBlockNumber = options.query.minBlock.number;
    this.#upstreamRequest = new UpstreamRequest(options.query, this);
  }

  send(): void {
    const found = this.#cache.findShared(this.#call);
    if (found === undefined) return void this.#upstreamRequest.start();
    void found.then((stored) => {
      if (!this.#isWanted) return;
      if (stored === undefined) this.#upstreamRequest.start();
      else this.#answer(stored);
    });
  }

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
    const stored = this.#store(reply, upstream);
    this.#leader?.reply.whole(reply);
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
    this.#upstreamRequest.abandon();
  }

  /** It is over: nobody joins, and nothing is kept for those who did. */
  #resolve(): void {
    this.#onRemoved();
    this.#quota.release(this.#held);
    this.#held = 0;
  }

  /** Another replica had it. */
  #answer(stored: StoredReply): void {
    this.#upstreamRequest.abandon();
    this.#resolve();
    this.#onShared();
    this.#leader?.reply.stored(stored, this.#leaderId, 200);
    this.#serve(stored);
  }

  /** Everybody but the leader, with what there is to share. */
  #serve(stored: StoredReply | undefined): void {
    const followers = [...this.#followers];
    this.#followers.clear();
    for (const follower of followers) {
      if (stored === undefined) follower.goAlone();
      else follower.reply.stored(stored, follower.id, 200);
    }
  }

  /**
   * A leader that reads slowly holds up nobody: what followers wait for is read on, and waits for the leader in its own
   * connection; and nobody joins who would wait for it.
   */
  #isFlowing(isLeaderReady = true): boolean {
    if (isLeaderReady) return true;
    this.#onRemoved();
    return this.#followers.size > 0;
  }

  /** Pieces are lent only. @returns the copy that was kept, or the piece itself where nothing is kept any more */
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
    const stored = toStored(reply, this.#leaderId);
    if (stored !== undefined && upstream !== undefined) this.#cache.keep(this.#call, reply, stored, upstream);
    return stored;
  }
}
