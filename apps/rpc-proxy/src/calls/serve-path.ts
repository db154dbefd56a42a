import { askInto } from '../upstream-request/response-sink.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import type { UsageRecorder } from '../usage/usage-recorder.ts';
import { findCallFault } from './ruled-call.ts';

/** The HTTP interface of a family below the chain's address: the path is the method. */
export function servePath(usage: UsageRecorder): (request: RpcRequest) => void {
  return (request) => {
    const { chain, reply, principal, rest, req, body, quota } = request;
    const nodes = chain.paths ?? chain;
    if (nodes.upstreams.length === 0) return reply.refuse(502, 'network unavailable');
    const rule = chain.ruleOf(rest.slice(1).split('?', 1)[0]!.toLowerCase());
    const fault = findCallFault(request, undefined, rule);
    if (fault !== undefined) return reply.refuse(fault.status, fault.error);
    usage.open(request, [{ rule }]);
    const upstreamRequest = askInto(
      {
        chain: nodes,
        quota,
        body,
        kind: rule.kind,
        method: rule.method,
        params: '',
        minBlock: nodes.minBlockOf(principal.keyId),
        rest,
        verb: req.method === 'GET' ? 'GET' : 'POST',
      },
      reply,
    );
    reply.onLeave(() => upstreamRequest.abandon());
  };
}
