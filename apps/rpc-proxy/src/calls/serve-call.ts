import { Exchange } from '../exchange/exchange.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import type { CallSharing, OwnWay } from './call-sharing.ts';
import { demandOf } from './demand-of.ts';
import { serveFilter } from './serve-filter.ts';
import type { RuledCall } from './serve-request.ts';

/** One call: from the cache, with somebody else's request, or to a node; always in the bytes that came. */
export function serveCall(sharing: CallSharing | undefined, request: RpcRequest, ruled: RuledCall): void {
  const { reply } = request;
  reply.isNotification = ruled.call.idStart === -1;
  if (ruled.rule.kind === 'filter') return reply.onLeave(serveFilter(request, ruled, reply));
  const leave =
    sharing !== undefined && sharing.covers(request, ruled)
      ? sharing.answer(request, ruled, reply, ownWay)
      : goAlone(request, ruled);
  if (leave !== undefined) reply.onLeave(leave);
}

function goAlone(request: RpcRequest, ruled: RuledCall, deadline?: number): () => void {
  const exchange = new Exchange({ ...ownWay.demandOf(request, ruled), deadline }, request.reply);
  exchange.start();
  return () => exchange.abandon();
}

const ownWay: OwnWay = {
  goAlone,
  demandOf: (request, { call, rule }) => demandOf(request, rule, request.body, call),
};
