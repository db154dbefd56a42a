import { askInto } from '../upstream-request/response-sink.ts';
import type { ScannedBody } from '../json/scan-body.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import type { UsageRecorder } from '../usage/usage-recorder.ts';
import type { AnswerCache } from '../cache/answer-cache.ts';
import { CallSharing, type OwnWay } from './call-sharing.ts';
import { findCallFault, queryOf, type RuledCall } from './ruled-call.ts';
import { serveBatch } from './serve-batch.ts';
import { serveFilter } from './serve-filter.ts';

export interface ServeOptions {
  readonly usage: UsageRecorder;
  /** Undefined: each call goes to a node. */
  readonly cache: AnswerCache | undefined;
}

/** Checks permissions and method lists before any node is asked; then serves the call or the batch. */
export function createServe(options: ServeOptions): (request: RpcRequest, scanned: ScannedBody) => void {
  const { usage } = options;
  const sharing = options.cache === undefined ? undefined : new CallSharing(options.cache, usage);
  return (request, scanned) => {
    const { chain, reply, principal } = request;
    if (chain.upstreams.length === 0) return reply.refuse(502, 'network unavailable');
    if (scanned.calls.length === 0 && !principal.permissions.includes(chain.permissions.read))
      return reply.refuse(403, `the API key does not have the permission ${chain.permissions.read}`);
    const calls: RuledCall[] = [];
    for (const call of scanned.calls) {
      const rule = chain.ruleOf(call.method);
      const fault = findCallFault(request, call, rule);
      if (fault !== undefined) return reply.refuse(fault.status, fault.error);
      calls.push({ call, rule });
    }
    usage.open(request, calls);
    if (scanned.isBatch) serveBatch(sharing, request, calls);
    else serveCall(sharing, request, calls[0]!);
  };
}

/** Answers one call from the cache, from a request in flight, or from a node; always in the bytes that came. */
function serveCall(sharing: CallSharing | undefined, request: RpcRequest, ruled: RuledCall): void {
  const { reply } = request;
  reply.isNotification = ruled.call.idStart === -1;
  if (ruled.rule.kind === 'filter') return reply.onLeave(serveFilter(request, ruled, reply));
  const leave =
    sharing !== undefined && sharing.covers(request, ruled)
      ? sharing.answer({ request, ruled, reply }, ownWay)
      : goAlone(request, ruled);
  if (leave !== undefined) reply.onLeave(leave);
}

function goAlone(request: RpcRequest, ruled: RuledCall, deadline?: number): () => void {
  const upstreamRequest = askInto({ ...ownWay.queryOf(request, ruled), deadline }, request.reply);
  return () => upstreamRequest.abandon();
}

const ownWay: OwnWay = {
  goAlone,
  queryOf: (request, { call, rule }) => queryOf(request, { rule, body: request.body, call }),
};
