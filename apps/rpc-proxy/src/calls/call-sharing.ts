// SPDX-License-Identifier: Apache-2.0
import { hash } from 'node:crypto';
import type { AnswerCache, CacheCall } from '../cache/answer-cache.ts';
import { InFlightRequest } from '../cache/in-flight-request.ts';
import type { Answer, StoredReply } from '../cache/stored-reply.ts';
import { maySee } from '../chains/told-height.ts';
import type { KeyAccount } from '../limits/tenants.ts';
import { GONE, type Outcome } from '../upstream-request/outcome.ts';
import type { UpstreamQuery } from '../upstream-request/upstream-query.ts';
import { UpstreamRequest } from '../upstream-request/upstream-request.ts';
import type { Chain } from '../chains/chain.ts';
import type { KeySession } from '../chains/key-session.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import type { ScannedCall } from '../json/scan-body.ts';
import type { MethodRule } from '../methods/method-rule.ts';
import type { UsageRecorder } from '../usage/usage-recorder.ts';
import type { RuledCall } from './ruled-call.ts';

/** Who waits for the answer to a call. */
export interface Caller {
  /** What it asks the nodes. */
  readonly queryOf: () => UpstreamQuery;
  /** Larger replies come in pieces. */
  readonly wholeBytesMax: number;
  readonly client: { readonly isGone: boolean };
  /** The end of its time, on the chain's clock. */
  readonly deadline: number;
}

/** Asks the nodes for one caller, within its own time. */
export function askAlone({ queryOf, wholeBytesMax, client, deadline }: Caller): Promise<Outcome> {
  return new UpstreamRequest({ ...queryOf(), deadline }, { wholeBytesMax, client }).run();
}

/** Answers from the cache, and requests in flight that several callers share. */
export class CallSharing {
  readonly cache: AnswerCache;
  /** By cache key. */
  readonly #inFlight = new Map<string, InFlightRequest>();
  readonly #usage: UsageRecorder;

  constructor(cache: AnswerCache, usage: UsageRecorder) {
    this.cache = cache;
    this.#usage = usage;
  }

  /**
   * Whether a call's answer is cached or shared. Not if the call has members beyond those of the cache key, or reads what
   * is pending: other replicas write, too.
   */
  covers({ chain, principal }: RpcRequest, { call, rule, view }: RuledCall): boolean {
    if (
      !chain.isCached ||
      !call.isPlain ||
      call.idStart === -1 ||
      rule.kind !== 'read' ||
      !chain.cacheRules.has(rule.method)
    )
      return false;
    // A key that has just written goes to the node that took it.
    return view === undefined || (view === 'transaction' && !chain.sessions.of(principal.keyId).hasWritten);
  }

  /** Answers a covered call from the cache, from a request in flight, or with a request of its own. */
  async answer(request: RpcRequest, ruled: RuledCall, callerOf: () => Caller): Promise<Answer> {
    const { chain, body, principal, quota } = request;
    const { call, rule } = ruled;
    const params = call.paramsStart === -1 ? '' : body.toString('latin1', call.paramsStart, call.paramsEnd);
    const key = cacheKeyOf(chain, { rule, body, call, params });
    const id = body.subarray(call.idStart, call.idEnd);
    const session = chain.sessions.of(principal.keyId);
    // What is kept may be older than what another replica, or a node's answer, has told the key.
    const stored = this.cache.find(chain, key, session.number);
    const isNew = ({ body: told }: StoredReply): boolean =>
      maySee(chain, session, { method: rule.method, params, body: told });
    if (stored !== undefined && isNew(stored)) {
      this.#countShared(request, ruled);
      return { type: 'stored', stored, id };
    }
    const caller = callerOf();
    const running = this.#findRunning(key, {
      session,
      writeStamp: chain.writeStamp,
      account: quota.key,
    });
    if (running === undefined) return this.#lead(key, { request, ruled, id, caller });
    this.#countShared(request, ruled);
    const shared = await running.join(quota.key, caller.client);
    if (caller.client.isGone) return GONE;
    if (shared !== undefined && isNew(shared)) return { type: 'stored', stored: shared, id };
    if (chain.clock.now >= caller.deadline) return { type: 'failed', failure: 'timeout' };
    return askAlone(caller);
  }

  /**
   * Undefined if nobody asks the same, if the request in flight began before a write that is over or may bring an older
   * chain than this key has seen, or if it waits in another key's queue or for what that key has seen.
   */
  #findRunning(
    key: string,
    {
      session,
      writeStamp,
      account,
    }: { readonly session: KeySession; readonly writeStamp: number; readonly account: KeyAccount },
  ): InFlightRequest | undefined {
    const running = this.#inFlight.get(key);
    if (running === undefined || session.number > running.headNumber) return undefined;
    if (running.writeStamp !== writeStamp) return undefined;
    return running.takes(account) ? running : undefined;
  }

  #countShared({ principal, chain }: RpcRequest, { rule }: RuledCall): void {
    this.#usage.countCached(principal, chain, rule);
  }

  async #lead(
    key: string,
    {
      request,
      ruled,
      id,
      caller,
    }: {
      readonly request: RpcRequest;
      readonly ruled: RuledCall;
      readonly id: Buffer;
      readonly caller: Caller;
    },
  ): Promise<Answer> {
    const inFlight: InFlightRequest = new InFlightRequest({
      call: cacheCallOf(key, request, ruled),
      cache: this.cache,
      query: { ...caller.queryOf(), acceptEncoding: undefined },
      id,
      wholeBytesMax: caller.wholeBytesMax,
      leader: caller.client,
      onClosed: () => {
        if (this.#inFlight.get(key) === inFlight) this.#inFlight.delete(key);
      },
    });
    this.#inFlight.set(key, inFlight);
    const answer = await inFlight.lead();
    // Another replica had it.
    if (answer.type === 'stored') this.#countShared(request, ruled);
    return answer;
  }
}

const KEY_PARAMS_MAX = 256;

/**
 * chain | method | version | parameters, never the id. Parameters are compared as written, with every option; only
 * spellings that the family declares equal share a key.
 */
function cacheKeyOf(
  chain: Chain,
  {
    rule,
    body,
    call,
    params: written,
  }: {
    readonly rule: MethodRule;
    readonly body: Buffer;
    readonly call: ScannedCall;
    readonly params: string;
  },
): string {
  const version = call.versionStart === -1 ? '' : body.toString('latin1', call.versionStart, call.versionEnd);
  let params = chain.rpc.normalizeParams?.(written) ?? written;
  if (params.length > KEY_PARAMS_MAX) params = hash('sha256', params, 'base64');
  return `${chain.network.gid}|${rule.method}|${version}|${params}`;
}

function cacheCallOf(key: string, { chain, body }: RpcRequest, { call, rule }: RuledCall): CacheCall {
  const params = call.paramsStart === -1 ? '' : body.toString('utf8', call.paramsStart, call.paramsEnd);
  return { chain, key, method: rule.method, params, finalNumber: chain.finalNumber, stamp: chain.headStamp };
}
