// SPDX-License-Identifier: Apache-2.0
import type { TransactionView } from '@chainwatch/chain-core';
import type { RpcRequest } from '../http/rpc-handler.ts';
import type { ScannedCall } from '../json/scan-body.ts';
import type { MethodRule } from '../methods/method-rule.ts';
import { readableEncodings } from '../upstream-request/inflate.ts';
import type { UpstreamQuery } from '../upstream-request/upstream-query.ts';

/** A call and the rule of its method. */
export interface RuledCall {
  readonly call: ScannedCall;
  readonly rule: MethodRule;
  /** What it reads beside blocks. */
  readonly view: TransactionView | undefined;
}

export interface CallFault {
  readonly status: 400 | 403;
  readonly error: string;
}

export const SHORT_PARAMS_MAX = 4_096;

/** Why a key may not make a call; undefined when it may. */
export function findCallFault(
  { chain, principal, body }: Pick<RpcRequest, 'chain' | 'principal' | 'body'>,
  call: ScannedCall | undefined,
  rule: MethodRule,
): CallFault | undefined {
  if (call !== undefined && !chain.rpc.servesVersion1 && !isVersion2(body, call))
    return { status: 400, error: 'protocol mismatch: expected jsonrpc "2.0"' };
  if (rule.foreignFamily !== undefined)
    return {
      status: 400,
      error: `protocol mismatch: ${rule.method} is a method of ${rule.foreignFamily}, this network is of ${chain.family.name}`,
    };
  const permission = chain.permissions[rule.needsSend ? 'send' : 'read'];
  if (!principal.permissions.includes(permission))
    return { status: 403, error: `the API key does not have the permission ${permission}` };
  return rule.isAllowed
    ? undefined
    : { status: 403, error: `the method ${rule.method.slice(0, 64)} is not allowed` };
}

function isVersion2(body: Buffer, { versionStart: start, versionEnd: end }: ScannedCall): boolean {
  return (
    end - start === 5 &&
    body[start] === 0x22 &&
    body[start + 1] === 0x32 &&
    body[start + 2] === 0x2e &&
    body[start + 3] === 0x30
  );
}

/** What the call reads beside blocks. */
export function viewOf(
  { chain, body }: Pick<RpcRequest, 'chain' | 'body'>,
  { rule, call }: Pick<RuledCall, 'rule' | 'call'>,
): TransactionView | undefined {
  const params = call.paramsStart === -1 ? '' : body.toString('latin1', call.paramsStart, call.paramsEnd);
  return chain.rpc.transactions.viewOf(rule.method, params);
}

/** The upstream query of one call. */
export function queryOf(
  { chain, principal, req, quota, body }: RpcRequest,
  { rule, call, view }: RuledCall,
): UpstreamQuery {
  const { method, kind } = rule;
  if (kind === 'read') chain.hedges.earn();
  const isShort = call.paramsStart !== -1 && call.paramsEnd - call.paramsStart <= SHORT_PARAMS_MAX;
  const needsParams = isShort && chain.rpc.blockReaders.get(method)?.needsParams === true;
  const session = chain.sessions.of(principal.keyId);
  const params = needsParams ? body.toString('latin1', call.paramsStart, call.paramsEnd) : '';
  return {
    chain,
    quota,
    body,
    asked: { body, call },
    kind,
    method,
    params,
    session,
    view,
    first: kind === 'read' && view === undefined ? undefined : chain.findWritten(session),
    acceptEncoding: readableEncodings(req.headers['accept-encoding'] as string | undefined),
  };
}
