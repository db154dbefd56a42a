// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KeyAccount, MemoryQuota } from '../limits/tenants.ts';
import { GONE, type LargeReply, type WholeReply } from '../upstream-request/outcome.ts';
import type { UpstreamQuery } from '../upstream-request/upstream-query.ts';
import { UpstreamRequest } from '../upstream-request/upstream-request.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { AnswerCache, CacheCall } from './answer-cache.ts';
import { type Answer, type StoredReply, toStored } from './stored-reply.ts';

/** Who waits for an answer. */
interface Client {
  readonly isGone: boolean;
}

interface Follower {
  readonly key: KeyAccount;
  readonly client: Client;
}

export interface InFlightOptions {
  readonly call: CacheCall;
  readonly cache: AnswerCache;
  readonly query: UpstreamQuery;
  /** The id of the call that asked first: the leader. */
  readonly id: Buffer;
  /** What the leader takes at once; it gets larger replies in pieces. */
  readonly wholeBytesMax: number;
  readonly leader: Client;
  /** No call can join any more. */
  readonly onClosed: () => void;
}

/** Larger replies go to the leader only; they are neither cached nor shared. */
const SHARED_BYTES_MAX = 4 * 1_048_576;

/**
 * One upstream request for all calls that ask the same thing at the same time. They share a result, each under its own
 * id. Any other outcome (an error, also inside a result, a status, a timeout) goes to the leader alone, and each follower
 * then asks for itself.
 */
export class InFlightRequest {
  /** The head that the leader's key has seen: a key that has seen a higher one does not join. */
  readonly headNumber: number;
  /** A call that comes after a later write does not join. */
  readonly writeStamp: number;
  readonly #options: InFlightOptions;
  /** Pays for the pieces that are kept. */
  readonly #quota: MemoryQuota;
  readonly #followers = new Set<Follower>();
  #share: (stored: StoredReply | undefined) => void = () => undefined;
  readonly #shared = new Promise<StoredReply | undefined>((resolve) => (this.#share = resolve));
  #tellQueued: () => void = () => undefined;
  /** The request waits behind others of its key or workspace, or for a node that has reached what its key has seen. */
  readonly #queued = new Promise<undefined>((resolve) => (this.#tellQueued = () => resolve(undefined)));
  #isQueued = false;
  /** The leader wants no more. */
  #isLeft = false;

  constructor(options: InFlightOptions) {
    this.#options = options;
    this.#quota = options.query.quota;
    this.headNumber = options.query.session.number;
    this.writeStamp = options.query.chain.writeStamp;
  }

  /** Nobody waits for the answer. */
  get isGone(): boolean {
    return !this.#isLed && !this.#isFollowed;
  }

  get #isLed(): boolean {
    return !this.#isLeft && !this.#options.leader.isGone;
  }

  get #isFollowed(): boolean {
    for (const { client } of this.#followers) if (!client.isGone) return true;
    return false;
  }

  /** Asks, and brings the leader's own answer. */
  async lead(): Promise<Answer> {
    const { cache, call, id } = this.#options;
    const asked = cache.findShared(call);
    const found = asked === undefined ? undefined : await asked;
    if (found === undefined) return this.#ask();
    // Another replica had the answer.
    this.#settle(found);
    return this.#isLed ? { type: 'stored', stored: found, id } : GONE;
  }

  /** False if the request is given up, or waits for its own key's sake and the follower belongs to another one. */
  takes(key: KeyAccount): boolean {
    return (key === this.#quota.key || !this.#isQueued) && !this.isGone;
  }

  /**
   * Waits for the leader's answer.
   * @returns undefined if there is none to share: the follower asks for itself
   */
  join(key: KeyAccount, client: Client): Promise<StoredReply | undefined> {
    this.#followers.add({ key, client });
    return key === this.#quota.key ? this.#shared : Promise.race([this.#shared, this.#queued]);
  }

  async #ask(): Promise<Answer> {
    const { query, wholeBytesMax } = this.#options;
    const request = new UpstreamRequest(query, {
      wholeBytesMax,
      client: this,
      onQueued: () => this.#noteQueued(),
    });
    try {
      const outcome = await request.run();
      if (outcome.type === 'large') return this.#readOn(outcome);
      const isShared = outcome.type === 'whole' && outcome.reply.body.length <= SHARED_BYTES_MAX;
      this.#settle(isShared ? this.#store(outcome.reply, outcome.upstream) : undefined);
      return this.#isLed ? outcome : GONE;
    } catch (error) {
      this.#settle(undefined);
      throw error;
    }
  }

  /** Followers of other keys do not wait in this key's queue, nor for what it alone has seen. */
  #noteQueued(): void {
    this.#isQueued = true;
    for (const follower of this.#followers)
      if (follower.key !== this.#quota.key) this.#followers.delete(follower);
    this.#tellQueued();
  }

  /** Gives every follower what is stored, or lets each ask for itself. */
  #settle(stored: StoredReply | undefined): void {
    this.#options.onClosed();
    this.#followers.clear();
    this.#share(stored);
  }

  #store(reply: WholeReply, upstream: Upstream | undefined): StoredReply | undefined {
    const { call, cache, id } = this.#options;
    const stored = toStored(reply, id, call.chain.cacheRules.get(call.method));
    if (stored !== undefined && upstream !== undefined) cache.keep(call, { reply, stored, upstream });
    return stored;
  }

  /** Reads a large reply for the followers, and passes its pieces to the leader. */
  #readOn(large: LargeReply): Answer {
    const leader = new LeaderPieces();
    const cancel = (): void => {
      this.#isLeft = true;
      leader.stream.destroy();
    };
    void this.#pump(large, leader);
    if (this.#isLed) return { ...large, pieces: leader.stream, cancel };
    cancel();
    return GONE;
  }

  async #pump({ head, pieces, upstream }: LargeReply, leader: LeaderPieces): Promise<void> {
    const kept = new KeptPieces(this.#quota);
    try {
      for await (const piece of pieces) {
        if (!kept.add(piece)) this.#settle(undefined);
        await this.#passOn(leader, piece);
        // The leader has taken all of them.
        if (!kept.isWhole) kept.release();
      }
      if (kept.isWhole) this.#settle(this.#store({ ...head, body: kept.join() }, upstream));
      leader.stream.push(null);
    } catch (error) {
      this.#settle(undefined);
      leader.stream.destroy(error as Error);
    }
    await leader.closed;
    kept.release();
  }

  /**
   * A leader that reads slowly must not hold up its followers: the node's reply is read on for them. From then on no
   * other call joins, because it might wait for the leader.
   */
  async #passOn(leader: LeaderPieces, piece: Buffer): Promise<void> {
    if (leader.isBehind) await Promise.race([leader.taken(), nextTurn()]);
    if (leader.isBehind) this.#options.onClosed();
    while (leader.isBehind && !this.#isFollowed) await leader.taken();
    if (!leader.stream.destroyed) leader.stream.push(piece);
  }
}

/** The pieces of a large reply from the first one on, as long as they may be shared and there is room for them. */
class KeptPieces {
  isWhole = true;
  readonly #quota: MemoryQuota;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(quota: MemoryQuota) {
    this.#quota = quota;
  }

  /** @returns false if the pieces cannot be shared */
  add(piece: Buffer): boolean {
    this.isWhole &&=
      this.#bytes + piece.length <= SHARED_BYTES_MAX && this.#quota.take(piece.length) === undefined;
    if (!this.isWhole) return false;
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    return true;
  }

  join(): Buffer {
    return Buffer.concat(this.#pieces, this.#bytes);
  }

  release(): void {
    this.#quota.release(this.#bytes);
    this.#bytes = 0;
    this.#pieces = [];
  }
}

/** The pieces of a large reply on their way to the leader. */
class LeaderPieces {
  #tellTaken: () => void = () => undefined;
  readonly stream = new Readable({
    objectMode: true,
    highWaterMark: 1,
    read: () => this.#tellTaken(),
  });
  /** The leader has taken all of them, or wants no more. */
  readonly closed = new Promise<void>((resolve) => {
    this.stream
      .on('error', () => undefined)
      .on('close', () => {
        this.#tellTaken();
        resolve();
      });
  });

  /** The leader has not taken the last piece yet. */
  get isBehind(): boolean {
    return this.stream.readableLength > 0 && !this.stream.destroyed;
  }

  taken(): Promise<void> {
    return new Promise((resolve) => (this.#tellTaken = resolve));
  }
}
