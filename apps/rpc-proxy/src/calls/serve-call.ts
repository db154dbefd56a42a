import { Exchange } from '../exchange/exchange.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import type { CallSharing, OwnWay } from './call-sharing.ts';
import { demandOf } from './demand-of.ts';
import type { RuledCall } from './serve-request.ts';

/** One call: from the cache, with somebody else's request, or to a node; always in the bytes that came. */
export function serveCall(sharing: CallSharing | undefined, request: RpcRequest, ruled: RuledCall): void {
  const { reply } = request;
  reply.isNotification = ruled.call.idStart === -1;
  if (sharing === undefined || !sharing.covers(request, ruled)) return goAlone(request, ruled);
  const leave = sharing.answer(request, ruled, reply, ownWay);
  if (leave !== undefined) reply.onLeave(leave);
}

function goAlone(request: RpcRequest, ruled: RuledCall): void {
  const exchange = new Exchange(ownWay.demandOf(request, ruled), request.reply);
  request.reply.onLeave(() => exchange.abandon());
  exchange.start();
}

const ownWay: OwnWay = { goAlone, demandOf: (request, { call, rule }) => demandOf(request, rule, request.body, call) };
