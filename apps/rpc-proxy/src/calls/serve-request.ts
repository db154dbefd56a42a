import type { ScannedBody } from '../json/scan-body.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import type { UsageRecorder } from '../usage/usage-recorder.ts';
import type { AnswerCache } from '../cache/answer-cache.ts';
import { CallSharing } from './call-sharing.ts';
import { findCallFault } from './find-call-fault.ts';
import { serveBatch } from './serve-batch.ts';
import { serveCall } from './serve-call.ts';
import type { RuledCall } from './types.ts';

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
    usage.open(principal, chain, calls, request);
    if (scanned.isBatch) serveBatch(sharing, request, calls);
    else serveCall(sharing, request, calls[0]!);
  };
}
