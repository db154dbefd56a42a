import { AnswerCache, type CacheCall } from '../cache/answer-cache.ts';
import { cacheKeyOf } from '../cache/cache-key.ts';
import { FlightBook } from '../cache/flight-book.ts';
import { Flight, type AnswerReceiver } from '../cache/flight.ts';
import type { Demand } from '../exchange/exchange.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import type { UsageBook } from '../usage/usage-book.ts';
import type { RuledCall } from './serve-request.ts';

/** What is done instead where an answer cannot be shared after all, and what one call asks of the nodes. */
export interface OwnWay {
  goAlone(request: RpcRequest, ruled: RuledCall): void;
  demandOf(request: RpcRequest, ruled: RuledCall): Demand;
}

/** Answers that are kept, and questions that are asked once for everybody who asks them meanwhile. */
export class CallSharing {
  readonly cache: AnswerCache;
  readonly flights = new FlightBook();
  readonly #usage: UsageBook;

  constructor(cache: AnswerCache, usage: UsageBook) {
    this.cache = cache;
    this.#usage = usage;
  }

  covers({ chain }: RpcRequest, { call, rule }: RuledCall): boolean {
    return chain.isCached && call.idStart !== -1 && rule.kind === 'read' && AnswerCache.covers(chain.family, rule.method);
  }

  /** Answers a call that is covered: with what is kept, with somebody else's question, or with one of its own. @returns what to do when the asker leaves */
  answer(request: RpcRequest, ruled: RuledCall, reply: AnswerReceiver, ownWay: OwnWay): (() => void) | undefined {
    const key = cacheKeyOf(request.chain, ruled.rule, request.body, ruled.call);
    const { taken, leave } = this.take(key, request, ruled, reply, ownWay);
    return taken ? leave : this.#lead(key, request, ruled, reply, ownWay);
  }

  /** The first half of it: what costs no question. */
  take(key: string, request: RpcRequest, ruled: RuledCall, reply: AnswerReceiver, ownWay: Pick<OwnWay, 'goAlone'>): Taken {
    const { chain, body, principal } = request;
    const { call } = ruled;
    const stored = this.cache.find(chain, key);
    if (stored !== undefined) {
      this.countShared(request, ruled);
      reply.stored(stored, body.subarray(call.idStart, call.idEnd), 200);
      return ANSWERED;
    }
    const waiter = { reply, id: body.subarray(call.idStart, call.idEnd), goAlone: () => ownWay.goAlone(request, ruled) };
    const joined = this.flights.join(key, chain.floorOf(principal.keyId), waiter);
    if (joined === undefined) return NOT_TAKEN;
    this.countShared(request, ruled);
    return { taken: true, leave: () => joined.leave(waiter) };
  }

  countShared({ principal, chain }: RpcRequest, { rule }: RuledCall): void {
    this.#usage.countCached(principal, chain, rule);
  }

  #lead(key: string, request: RpcRequest, ruled: RuledCall, reply: AnswerReceiver, ownWay: OwnWay): () => void {
    const { body } = request;
    const { call } = ruled;
    const leader = { reply, id: body.subarray(call.idStart, call.idEnd), goAlone: () => ownWay.goAlone(request, ruled) };
    const flight = new Flight({
      call: cacheCallOf(key, request, ruled),
      cache: this.cache,
      demand: { ...ownWay.demandOf(request, ruled), acceptEncoding: undefined },
      leader,
      onLand: () => this.flights.remove(key, flight),
      onShared: () => this.countShared(request, ruled),
    });
    this.flights.add(key, flight);
    flight.launch();
    return () => flight.leave(leader);
  }
}

export function cacheCallOf(key: string, { chain, body }: RpcRequest, { call, rule }: RuledCall): CacheCall {
  const params = call.paramsStart === -1 ? '' : body.toString('utf8', call.paramsStart, call.paramsEnd);
  return { chain, key, method: rule.method, params, finalNumber: chain.finalNumber, stamp: chain.headStamp };
}

interface Taken {
  readonly taken: boolean;
  readonly leave: (() => void) | undefined;
}

const ANSWERED: Taken = { taken: true, leave: undefined };
const NOT_TAKEN: Taken = { taken: false, leave: undefined };
