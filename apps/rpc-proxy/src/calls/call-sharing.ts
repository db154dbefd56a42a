import { hash } from 'node:crypto';
import type { AnswerCache, CacheCall } from '../cache/answer-cache.ts';
import { InFlightRequest, type AnswerSink, type Waiter } from '../cache/in-flight-request.ts';
import type { UpstreamQuery } from '../upstream-request/upstream-query.ts';
import { DEADLINE_MS } from '../upstream-request/upstream-request.ts';
import type { Chain, MinBlock } from '../chains/chain.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import type { ScannedCall } from '../json/scan-body.ts';
import type { MethodRule } from '../methods/method-rule.ts';
import type { UsageRecorder } from '../usage/usage-recorder.ts';
import type { RuledCall } from './ruled-call.ts';

/** One call of a request, and who waits for its answer. */
interface WaitingCall {
  readonly request: RpcRequest;
  readonly ruled: RuledCall;
  readonly reply: AnswerSink;
}

/** How a call asks for itself if its answer cannot be shared after all, and what it asks the nodes. */
export interface OwnWay {
  /**
   * @param deadline of the caller's own time
   * @returns what to do when the caller leaves
   */
  goAlone(request: RpcRequest, ruled: RuledCall, deadline?: number): () => void;
  queryOf(request: RpcRequest, ruled: RuledCall): UpstreamQuery;
}

/** Answers from the cache, and requests in flight that several callers share. */
export class CallSharing {
  readonly cache: AnswerCache;
  readonly #inFlightRequests = new InFlightRegistry();
  readonly #usage: UsageRecorder;

  constructor(cache: AnswerCache, usage: UsageRecorder) {
    this.cache = cache;
    this.#usage = usage;
  }

  /** Whether a call's answer is cached or shared. Not if the call has members beyond those of the cache key. */
  covers({ chain }: RpcRequest, { call, rule }: RuledCall): boolean {
    return (
      chain.isCached &&
      call.isPlain &&
      call.idStart !== -1 &&
      rule.kind === 'read' &&
      chain.cacheRules.has(rule.method)
    );
  }

  /**
   * Answers a covered call from the cache, from a request in flight, or with a request of its own.
   * @returns what to do when the caller leaves
   */
  answer(waiting: WaitingCall, ownWay: OwnWay): (() => void) | undefined {
    const { request, ruled, reply } = waiting;
    const { chain, body, principal, quota } = request;
    const { call, rule } = ruled;
    const key = cacheKeyOf(chain, { rule, body, call });
    const id = body.subarray(call.idStart, call.idEnd);
    const stored = this.cache.find(chain, key);
    if (stored !== undefined) {
      this.#countShared(request, ruled);
      reply.stored(stored, id, 200);
      return undefined;
    }
    const deadline = chain.clock.now + DEADLINE_MS;
    let leaveAlone: (() => void) | undefined;
    const goAlone = (): void => {
      if (chain.clock.now >= deadline) reply.fail('timeout');
      else leaveAlone = ownWay.goAlone(request, ruled, deadline);
    };
    const waiter = { reply, id, key: quota.key, goAlone };
    const joined = this.#inFlightRequests.join(key, chain.minBlockOf(principal.keyId), waiter);
    if (joined === undefined) return this.#lead(key, waiting, ownWay);
    this.#countShared(request, ruled);
    return () => (leaveAlone === undefined ? joined.leave(waiter) : leaveAlone());
  }

  #countShared({ principal, chain }: RpcRequest, { rule }: RuledCall): void {
    this.#usage.countCached(principal, chain, rule);
  }

  #lead(key: string, { request, ruled, reply }: WaitingCall, ownWay: OwnWay): () => void {
    const { body } = request;
    const { call } = ruled;
    const inFlight = new InFlightRequest({
      call: cacheCallOf(key, request, ruled),
      cache: this.cache,
      query: { ...ownWay.queryOf(request, ruled), acceptEncoding: undefined },
      leader: { reply, id: body.subarray(call.idStart, call.idEnd) },
      onResolved: () => this.#inFlightRequests.remove(key, inFlight),
      onShared: () => this.#countShared(request, ruled),
    });
    this.#inFlightRequests.add(key, inFlight);
    inFlight.send();
    return () => inFlight.leaveLeader();
  }
}

/** Requests in flight, by cache key. */
class InFlightRegistry {
  readonly #inFlightRequests = new Map<string, InFlightRequest>();

  /**
   * @returns the request that was joined. Undefined if nobody asks the same, if the request in flight may return an
   * older chain than this key has seen, or if it waits in another key's queue.
   */
  join(key: string, minBlock: MinBlock, waiter: Waiter): InFlightRequest | undefined {
    const running = this.#inFlightRequests.get(key);
    if (running === undefined || minBlock.number > running.minBlockNumber || !running.takes(waiter))
      return undefined;
    running.join(waiter);
    return running;
  }

  add(key: string, inFlight: InFlightRequest): void {
    this.#inFlightRequests.set(key, inFlight);
  }

  /** No call can join it from now on. */
  remove(key: string, inFlight: InFlightRequest): void {
    if (this.#inFlightRequests.get(key) === inFlight) this.#inFlightRequests.delete(key);
  }
}

const KEY_PARAMS_MAX = 256;

/**
 * chain | method | version | parameters, never the id. Parameters are compared as written, with every option; only
 * spellings that the family declares equal share a key.
 */
function cacheKeyOf(
  chain: Chain,
  { rule, body, call }: { readonly rule: MethodRule; readonly body: Buffer; readonly call: ScannedCall },
): string {
  const version = call.versionStart === -1 ? '' : body.toString('latin1', call.versionStart, call.versionEnd);
  let params = call.paramsStart === -1 ? '' : body.toString('latin1', call.paramsStart, call.paramsEnd);
  params = chain.rpc.normalizeParams?.(params) ?? params;
  if (params.length > KEY_PARAMS_MAX) params = hash('sha256', params, 'base64');
  return `${chain.network.gid}|${rule.method}|${version}|${params}`;
}

function cacheCallOf(key: string, { chain, body }: RpcRequest, { call, rule }: RuledCall): CacheCall {
  const params = call.paramsStart === -1 ? '' : body.toString('utf8', call.paramsStart, call.paramsEnd);
  return { chain, key, method: rule.method, params, finalNumber: chain.finalNumber, stamp: chain.headStamp };
}
