// SPDX-License-Identifier: Apache-2.0
import { WHOLE_BYTES_MAX } from '../http/client-reply.ts';
import type { ScannedBody } from '../json/scan-body.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import type { UsageRecorder } from '../usage/usage-recorder.ts';
import type { AnswerCache } from '../cache/answer-cache.ts';
import type { Answer } from '../cache/stored-reply.ts';
import { DEADLINE_MS } from '../upstream-request/upstream-request.ts';
import { askAlone, CallSharing, type Caller } from './call-sharing.ts';
import { findCallFault, queryOf, type RuledCall, viewOf } from './ruled-call.ts';
import { serveBatch } from './serve-batch.ts';
import { askFilter } from './ask-filter.ts';

export interface ServeOptions {
  readonly usage: UsageRecorder;
  /** Undefined: each call goes to a node. */
  readonly cache: AnswerCache | undefined;
}

/** Serves a call or a batch; resolves when its answer was handed to the connection. */
export type Serve = (request: RpcRequest, scanned: ScannedBody) => Promise<void>;

/** Checks permissions and method lists before any node is asked; then serves the call or the batch. */
export function createServe(options: ServeOptions): Serve {
  const { usage } = options;
  const sharing = options.cache === undefined ? undefined : new CallSharing(options.cache, usage);
  return async (request, scanned) => {
    const { chain, reply, principal } = request;
    if (chain.upstreams.length === 0) return reply.refuse(502, 'network unavailable');
    if (scanned.calls.length === 0 && !principal.permissions.includes(chain.permissions.read))
      return reply.refuse(403, `the API key does not have the permission ${chain.permissions.read}`);
    const calls: RuledCall[] = [];
    for (const call of scanned.calls) {
      const rule = chain.ruleOf(call.method);
      const fault = findCallFault(request, call, rule);
      if (fault !== undefined) return reply.refuse(fault.status, fault.error);
      calls.push({ call, rule, view: viewOf(request, { call, rule }) });
    }
    usage.open(request, calls);
    const loading = loadSession(request, calls);
    if (loading !== undefined) await loading;
    if (scanned.isBatch) return serveBatch(sharing, request, calls);
    const answer = await answerCall(sharing, request, calls[0]!);
    const saving = chain.sessions.save(principal.keyId);
    if (saving !== undefined) await saving;
    return reply.send(answer);
  };
}

/** What other replicas know of the key, where it decides which node is asked or which answer is shared. */
function loadSession(
  { chain, principal }: RpcRequest,
  calls: readonly RuledCall[],
): Promise<void> | undefined {
  if (!chain.sessions.isShared) return undefined;
  // A single node serves all that is not shared. An answer that is might come from before another replica's write.
  const isAsked = chain.upstreams.length > 1 || calls.some(({ view }) => view === 'transaction');
  return isAsked ? chain.sessions.load(principal.keyId) : undefined;
}

/** The answer from the cache, from a request in flight, or from a node; always in the bytes that came. */
function answerCall(
  sharing: CallSharing | undefined,
  request: RpcRequest,
  ruled: RuledCall,
): Promise<Answer> {
  const { reply, chain } = request;
  const { call, rule } = ruled;
  reply.isNotification = call.idStart === -1;
  const callerOf = (): Caller => ({
    queryOf: () => queryOf(request, ruled),
    wholeBytesMax: WHOLE_BYTES_MAX,
    client: reply,
    deadline: chain.clock.now + DEADLINE_MS,
  });
  if (rule.kind === 'filter') return askFilter(request, ruled, callerOf());
  return sharing?.covers(request, ruled) === true
    ? sharing.answer(request, ruled, callerOf)
    : askAlone(callerOf());
}
