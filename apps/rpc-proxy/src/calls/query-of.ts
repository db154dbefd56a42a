import type { UpstreamQuery } from '../upstream-request/upstream-query.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import type { ScannedCall } from '../json/scan-call.ts';
import type { MethodRule } from '../methods/method-rule.ts';

const SHORT_PARAMS_MAX = 4_096;

/**
 * The upstream query of one call.
 * @param body the bytes that the call's offsets refer to
 */
export function queryOf(
  { chain, principal, req, quota }: RpcRequest,
  rule: MethodRule,
  body: Buffer,
  call: ScannedCall,
): UpstreamQuery {
  const { method, kind } = rule;
  if (kind === 'read') chain.hedges.earn();
  const isShort = call.paramsStart !== -1 && call.paramsEnd - call.paramsStart <= SHORT_PARAMS_MAX;
  const needsParams = isShort && chain.rpc.blockReaders.get(method)?.needsParams === true;
  const params = needsParams ? body.toString('latin1', call.paramsStart, call.paramsEnd) : '';
  return {
    chain,
    quota,
    body,
    asked: { body, calls: [call], isBatch: false },
    kind,
    method,
    params,
    minBlock: chain.minBlockOf(principal.keyId),
    acceptEncoding: req.headers['accept-encoding'] as string | undefined,
  };
}
