import type { AnswerCache, CacheCall } from '../cache/answer-cache.ts';
import type { Joinable, Waiter } from '../cache/flight.ts';
import type { StoredReply } from '../cache/memory-store.ts';
import { toStored } from '../cache/to-stored.ts';
import type { WholeReply } from '../exchange/receiver.ts';
import type { Upstream } from '../upstreams/upstream.ts';

/** One call of a batch under way, for others that ask the same meanwhile. The batch itself is none of the waiters. */
export class BatchFlight implements Joinable {
  readonly call: CacheCall;
  readonly floorNumber: number;
  readonly #id: Buffer;
  readonly #onLeft: () => void;
  readonly #waiters = new Set<Waiter>();

  constructor(call: CacheCall, id: Buffer, floorNumber: number, onLeft: () => void) {
    this.call = call;
    this.floorNumber = floorNumber;
    this.#id = id;
    this.#onLeft = onLeft;
  }

  get isWanted(): boolean {
    return this.#waiters.size > 0;
  }

  join(waiter: Waiter): void {
    this.#waiters.add(waiter);
  }

  leave(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    this.#onLeft();
  }

  /** The node's reply to this call, in a piece of the batch's bytes that outlives it only as a copy. */
  land(item: Buffer, reply: WholeReply, upstream: Upstream | undefined, cache: AnswerCache): void {
    const own = { ...reply, body: Buffer.from(item) };
    const stored = toStored(own, this.#id);
    if (stored === undefined) return this.release();
    if (upstream !== undefined) cache.keep(this.call, own, stored, upstream);
    this.answer(stored);
  }

  answer(stored: StoredReply): void {
    for (const { reply, id } of this.#waiters) reply.stored(stored, id, 200);
  }

  /** Nothing that could be shared came. */
  release(): void {
    for (const waiter of this.#waiters) waiter.goAlone();
  }
}
