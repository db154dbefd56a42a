import { Exchange, type Demand } from '../exchange/exchange.ts';
import type { Failure, Receiver, ReplyHead, WholeReply } from '../exchange/receiver.ts';
import { scanReply, spansEqual } from '../json/scan-reply.ts';
import { skipSpace } from '../json/skip-value.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { AnswerCache, CacheCall } from './answer-cache.ts';
import type { StoredReply } from './memory-store.ts';

export interface AnswerReceiver extends Receiver {
  /** An answer that was given before, or to somebody else, under this call's id. */
  stored(stored: StoredReply, id: Buffer, status: number): void;
}

/** Who waits for an answer, and the id it goes by. */
export interface Waiter {
  readonly reply: AnswerReceiver;
  readonly id: Buffer;
  /** The answer cannot be shared: asks for itself. */
  goAlone(): void;
}

/** A question under way that others may share. */
export interface Joinable {
  /** What the first client saw of the chain: who saw more does not join. */
  readonly floorNumber: number;
  join(waiter: Waiter): void;
  leave(waiter: Waiter): void;
}

const WHOLE_BYTES_MAX = 131_072;
/** Larger replies are streamed to who asked first, kept and shared by nobody. */
const SHARED_BYTES_MAX = 4 * 1_048_576;

/** One request to the nodes for everybody who asks the same thing meanwhile. Each gets the answer under its own id. */
export class Flight implements Receiver, Joinable {
  readonly wholeBytesMax = WHOLE_BYTES_MAX;
  readonly floorNumber: number;
  readonly #call: CacheCall;
  readonly #cache: AnswerCache;
  readonly #exchange: Exchange;
  readonly #onLand: () => void;
  readonly #leader: Waiter;
  readonly #onShared: () => void;
  readonly #waiters = new Set<Waiter>();
  #head: ReplyHead | undefined;
  #pieces: Buffer[] | undefined = [];
  #bytes = 0;

  constructor(options: { call: CacheCall; cache: AnswerCache; demand: Demand; leader: Waiter; onLand: () => void; onShared: () => void }) {
    this.#call = options.call;
    this.#cache = options.cache;
    this.#leader = options.leader;
    this.#onLand = options.onLand;
    this.#onShared = options.onShared;
    this.floorNumber = options.demand.floor.number;
    this.#waiters.add(options.leader);
    this.#exchange = new Exchange(options.demand, this);
  }

  launch(): void {
    const found = this.#cache.findShared(this.#call);
    if (found === undefined) return void this.#exchange.start();
    void found.then((stored) => {
      // Everybody left.
      if (this.#waiters.size === 0) return;
      if (stored === undefined) this.#exchange.start();
      else this.#answer(stored);
    });
  }

  join(waiter: Waiter): void {
    this.#waiters.add(waiter);
  }

  leave(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    if (this.#waiters.size > 0) return;
    this.#onLand();
    this.#exchange.abandon();
  }

  whole(reply: WholeReply, upstream?: Upstream): void {
    this.#onLand();
    const stored = this.#store(reply, upstream);
    for (const waiter of this.#waiters) {
      if (waiter === this.#leader) waiter.reply.whole(reply);
      else if (stored === undefined) waiter.reply.whole(reply);
      else waiter.reply.stored(stored, waiter.id, reply.status);
    }
  }

  start(head: ReplyHead, pieces: readonly Buffer[], resume: () => void): boolean {
    this.#head = head;
    for (const piece of pieces) this.#collect(piece);
    return this.#waiters.has(this.#leader) ? this.#leader.reply.start(head, pieces, resume) : true;
  }

  data(piece: Buffer): boolean {
    this.#collect(piece);
    return this.#waiters.has(this.#leader) ? this.#leader.reply.data(piece) : true;
  }

  end(upstream?: Upstream): void {
    this.#onLand();
    if (this.#waiters.delete(this.#leader)) this.#leader.reply.end();
    if (this.#pieces === undefined) return;
    const reply = { ...this.#head!, body: Buffer.concat(this.#pieces, this.#bytes) };
    const stored = this.#store(reply, upstream);
    for (const waiter of this.#waiters) {
      if (stored === undefined) waiter.reply.whole(reply);
      else waiter.reply.stored(stored, waiter.id, reply.status);
    }
  }

  broken(): void {
    this.#onLand();
    if (this.#waiters.delete(this.#leader)) this.#leader.reply.broken();
    for (const waiter of this.#waiters) waiter.reply.fail('unavailable');
  }

  fail(failure: Failure): void {
    this.#onLand();
    for (const waiter of this.#waiters) waiter.reply.fail(failure);
  }

  /** Another replica had it. */
  #answer(stored: StoredReply): void {
    this.#exchange.abandon();
    this.#onLand();
    this.#onShared();
    for (const { reply, id } of this.#waiters) reply.stored(stored, id, 200);
  }

  /** Pieces are lent only. */
  #collect(piece: Buffer): void {
    if (this.#pieces === undefined) return;
    this.#bytes += piece.length;
    if (this.#bytes <= SHARED_BYTES_MAX) return void this.#pieces.push(Buffer.from(piece));
    this.#pieces = undefined;
    this.#onLand();
    for (const waiter of [...this.#waiters]) {
      if (waiter === this.#leader) continue;
      this.#waiters.delete(waiter);
      waiter.goAlone();
    }
  }

  #store(reply: WholeReply, upstream: Upstream | undefined): StoredReply | undefined {
    const stored = toStored(reply, this.#leader.id);
    if (stored !== undefined && upstream !== undefined) this.#cache.keep(this.#call, reply, stored, upstream);
    return stored;
  }
}

/** The reply as one that other ids fit into; undefined when it does not carry the id that was sent. */
export function toStored({ body, contentType, contentEncoding }: WholeReply, id: Buffer): StoredReply | undefined {
  if (contentEncoding !== undefined) return undefined;
  const scanned = scanReply(body, skipSpace(body, 0));
  if (scanned === undefined || scanned.idStart === -1 || !spansEqual(body, scanned.idStart, scanned.idEnd, id, 0, id.length)) return undefined;
  return { body, idStart: scanned.idStart, idEnd: scanned.idEnd, contentType };
}
