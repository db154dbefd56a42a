// SPDX-License-Identifier: Apache-2.0
import { WHOLE_BYTES_MAX } from '../http/client-reply.ts';
import type { UpstreamQuery } from '../upstream-request/upstream-query.ts';
import { UpstreamRequest } from '../upstream-request/upstream-request.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import type { UsageRecorder } from '../usage/usage-recorder.ts';
import { findCallFault, SHORT_PARAMS_MAX } from './ruled-call.ts';

/** The HTTP interface of a family below the chain's address: the path is the method. */
export function servePath(usage: UsageRecorder): (request: RpcRequest) => Promise<void> {
  return async (request) => {
    const { chain, reply, principal, rest, req, body, quota } = request;
    const nodes = chain.paths ?? chain;
    if (nodes.upstreams.length === 0) return reply.refuse(502, 'network unavailable');
    const rule = chain.ruleOf(rest.slice(1).split('?', 1)[0]!.toLowerCase());
    const fault = findCallFault(request, undefined, rule);
    if (fault !== undefined) return reply.refuse(fault.status, fault.error);
    usage.open(request, [{ rule }]);
    const loading = nodes.sessions.load(principal.keyId);
    if (loading !== undefined) await loading;
    const params = body.length <= SHORT_PARAMS_MAX ? `${rest}${body.toString('latin1')}` : '';
    const session = nodes.sessions.of(principal.keyId);
    const view = nodes.rpc.transactions.viewOf(rule.method, params);
    const query: UpstreamQuery = {
      chain: nodes,
      quota,
      body,
      kind: rule.kind,
      method: rule.method,
      params,
      session,
      view,
      first: rule.kind === 'read' && view === undefined ? undefined : nodes.findWritten(session),
      rest,
      verb: req.method === 'GET' ? 'GET' : 'POST',
    };
    const options = { wholeBytesMax: WHOLE_BYTES_MAX, client: reply };
    const answer = await new UpstreamRequest(query, options).run();
    const saving = nodes.sessions.save(principal.keyId);
    if (saving !== undefined) await saving;
    return reply.send(answer);
  };
}
