import { UpstreamRequest } from '../upstream-request/upstream-request.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import type { CallSharing, OwnWay } from './call-sharing.ts';
import { queryOf } from './query-of.ts';
import { serveFilter } from './serve-filter.ts';
import type { RuledCall } from './types.ts';

/** Answers one call from the cache, from a request in flight, or from a node; always in the bytes that came. */
export function serveCall(sharing: CallSharing | undefined, request: RpcRequest, ruled: RuledCall): void {
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
  const upstreamRequest = new UpstreamRequest({ ...ownWay.queryOf(request, ruled), deadline }, request.reply);
  upstreamRequest.start();
  return () => upstreamRequest.abandon();
}

const ownWay: OwnWay = {
  goAlone,
  queryOf: (request, { call, rule }) => queryOf(request, rule, request.body, call),
};
