import type { AnswerCache, CacheCall } from '../cache/answer-cache.ts';
import type { InFlight, Waiter } from '../cache/in-flight-request.ts';
import { type StoredReply, toStored } from '../cache/stored-reply.ts';
import type { KeyAccount } from '../limits/tenants.ts';
import type { WholeReply } from '../upstream-request/response-sink.ts';
import type { Upstream } from '../upstreams/upstream.ts';

/**
 * One call of a batch in flight, which equal calls from elsewhere may join. The batch itself is not one of the waiters.
 */
export class InFlightBatchCall implements InFlight {
  readonly call: CacheCall;
  readonly minBlockNumber: number;
  readonly #id: Buffer;
  readonly #key: KeyAccount;
  readonly #onLeft: () => void;
  readonly #waiters = new Set<Waiter>();
  #isQueued = false;

  constructor(options: {
    call: CacheCall;
    id: Buffer;
    key: KeyAccount;
    minBlockNumber: number;
    onLeft: () => void;
  }) {
    this.call = options.call;
    this.minBlockNumber = options.minBlockNumber;
    this.#id = options.id;
    this.#key = options.key;
    this.#onLeft = options.onLeft;
  }

  get isWanted(): boolean {
    return this.#waiters.size > 0;
  }

  takes({ key }: Waiter): boolean {
    return key === this.#key || !this.#isQueued;
  }

  join(waiter: Waiter): void {
    this.#waiters.add(waiter);
  }

  leave(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    this.#onLeft();
  }

  /** Hands out the node's reply to this call. It is part of the batch's bytes, so what outlives the batch is a copy. */
  resolve(
    item: Buffer,
    {
      reply,
      upstream,
      cache,
    }: { readonly reply: WholeReply; readonly upstream: Upstream | undefined; readonly cache: AnswerCache },
  ): void {
    const own = { ...reply, body: Buffer.from(item) };
    const { chain, method } = this.call;
    const stored = toStored(own, this.#id, chain.cacheRules.get(method));
    if (stored === undefined) return this.release();
    if (upstream !== undefined) cache.keep(this.call, { reply: own, stored, upstream });
    this.answer(stored);
  }

  answer(stored: StoredReply): void {
    for (const { reply, id } of this.#waiters) reply.stored(stored, id, 200);
  }

  /** No answer came that could be shared. */
  release(): void {
    for (const waiter of this.#waiters) waiter.goAlone();
  }

  /** The batch waits for others of its key. */
  tellQueued(): void {
    this.#isQueued = true;
    for (const waiter of [...this.#waiters]) {
      if (waiter.key === this.#key) continue;
      this.#waiters.delete(waiter);
      waiter.goAlone();
    }
  }
}
