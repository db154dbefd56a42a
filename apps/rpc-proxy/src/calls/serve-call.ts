import { AnswerCache } from '../cache/answer-cache.ts';
import { cacheKeyOf } from '../cache/cache-key.ts';
import { Flight, type Waiter } from '../cache/flight.ts';
import { Exchange } from '../exchange/exchange.ts';
import type { RpcRequest } from '../http/rpc-listener.ts';
import type { UsageBook } from '../usage/usage-book.ts';
import { demandOf } from './demand-of.ts';
import type { RuledCall } from './serve-request.ts';

export interface ServeCallOptions {
  readonly usage: UsageBook;
  /** Without it each call goes to a node. */
  readonly cache: AnswerCache | undefined;
}

/** One call: from the cache, with somebody else's request, or to a node; always in the bytes that came. */
export function createServeCall({ usage, cache }: ServeCallOptions): (request: RpcRequest, ruled: RuledCall) => void {
  const flights = new Map<string, Flight>();
  return (request, ruled) => {
    const { chain, reply, body, principal } = request;
    const { call, rule } = ruled;
    reply.isNotification = call.idStart === -1;
    if (cache === undefined || !chain.isCached || call.idStart === -1 || !isCovered(request, ruled)) return goAlone(request, ruled);
    const key = cacheKeyOf(chain, rule, body, call);
    const waiter: Waiter = { reply, id: body.subarray(call.idStart, call.idEnd) };
    const stored = cache.find(chain, key);
    if (stored !== undefined) {
      usage.countCached(principal, chain, rule);
      return reply.stored(stored, waiter.id, 200);
    }
    const demand = { ...demandOf(request, rule, body, call), acceptEncoding: undefined };
    const running = flights.get(key);
    if (running !== undefined && demand.floor.number <= running.floorNumber) {
      usage.countCached(principal, chain, rule);
      return join(running, waiter);
    }
    const params = call.paramsStart === -1 ? '' : body.toString('utf8', call.paramsStart, call.paramsEnd);
    const flight = new Flight({
      call: { chain, key, method: rule.method, params, finalNumber: chain.finalNumber, stamp: chain.headStamp },
      cache,
      demand,
      leader: waiter,
      onLand: () => flights.get(key) === flight && flights.delete(key),
      onShared: () => usage.countCached(principal, chain, rule),
      goAlone: (follower) => goAlone({ ...request, reply: follower.reply }, ruled),
    });
    flights.set(key, flight);
    leaveWith(waiter, () => flight.leave(waiter));
    flight.launch();
  };
}

function isCovered({ chain }: RpcRequest, { rule }: RuledCall): boolean {
  return rule.kind === 'read' && AnswerCache.covers(chain.family, rule.method);
}

function join(flight: Flight, waiter: Waiter): void {
  flight.join(waiter);
  leaveWith(waiter, () => flight.leave(waiter));
}

function goAlone(request: RpcRequest, { call, rule }: RuledCall): void {
  const { reply, body } = request;
  const exchange = new Exchange(demandOf(request, rule, body, call), reply);
  leaveWith({ reply }, () => exchange.abandon());
  exchange.start();
}

function leaveWith({ reply: { res } }: Pick<Waiter, 'reply'>, leave: () => void): void {
  res.on('close', () => {
    if (!res.writableFinished) leave();
  });
}
