// SPDX-License-Identifier: Apache-2.0
import type { FilterOwner } from '../chains/filter-registry.ts';
import type { RpcRequest } from '../http/rpc-handler.ts';
import { scanReply } from '../json/scan-reply.ts';
import { skipSpace, skipString } from '../json/skip-value.ts';
import { GONE, type Outcome } from '../upstream-request/outcome.ts';
import type { UpstreamQuery } from '../upstream-request/upstream-query.ts';
import { UpstreamRequest } from '../upstream-request/upstream-request.ts';
import type { ReplyHead } from '../upstreams/reply-head.ts';
import type { Caller } from './call-sharing.ts';
import { queryOf, type RuledCall } from './ruled-call.ts';

/**
 * Answers a call about a filter. A call that makes a filter goes to any node, and its answer carries an id of the
 * gateway's own. A call that names a filter goes to the node that has it, under the node's id. If the id is not this
 * key's, or the node is gone, the client gets the answer that a node gives for an unknown filter.
 */
export async function askFilter(
  request: RpcRequest,
  ruled: RuledCall,
  caller: Pick<Caller, 'wholeBytesMax' | 'client'>,
): Promise<Outcome> {
  const { chain, principal, body } = request;
  const { call, rule } = ruled;
  const { filters } = chain.rpc;
  if (filters === undefined) throw new Error(`expected a family with filters, got ${rule.method}`);
  const owner: FilterOwner = { chainGid: chain.network.gid, keyId: principal.keyId };
  if (filters.makes.test(rule.method)) return makeFilter(request, ruled, { owner, caller });
  const idStart = findFirstString(body, call.paramsStart);
  if (idStart === -1) return answerWith(request, ruled, NO_ID_ERROR);
  const idEnd = skipString(body, idStart);
  const id = body.toString('latin1', idStart + 1, idEnd - 1);
  const serving = chain.upstreams.filter(({ isDown, isWrongChain }) => !isDown && !isWrongChain);
  const filter = await chain.filters.find(owner, id, serving).catch(() => 'failed' as const);
  if (filter === 'failed') return UNAVAILABLE;
  if (caller.client.isGone) return GONE;
  if (filter === undefined) return answerWith(request, ruled, filters.unknownAnswer(rule.method));
  const own = Buffer.concat([
    body.subarray(call.start, idStart),
    Buffer.from(filter.nodeId),
    body.subarray(idEnd, call.end),
  ]);
  const asked = new UpstreamRequest(
    queryFor(request, ruled, { body: own, upstream: filter.upstream }),
    caller,
  ).run();
  if (rule.method === filters.ends) chain.filters.remove(owner, id);
  return asked;
}

/** Asks for a filter, and puts the gateway's id in the place of the node's. */
async function makeFilter(
  request: RpcRequest,
  ruled: RuledCall,
  {
    owner,
    caller,
  }: { readonly owner: FilterOwner; readonly caller: Pick<Caller, 'wholeBytesMax' | 'client'> },
): Promise<Outcome> {
  const { filters } = request.chain;
  const { call } = ruled;
  // Without an id for its answer, nobody could use the filter.
  if (call.idStart === -1) return answerWith(request, ruled, '');
  if (!filters.hasRoom(owner)) return answerWith(request, ruled, NO_ROOM_ERROR);
  const own = request.body.subarray(call.start, call.end);
  const outcome = await new UpstreamRequest(queryFor(request, ruled, { body: own }), caller).run();
  if (outcome.type !== 'whole' || outcome.upstream === undefined) return outcome;
  const { reply, upstream } = outcome;
  const { body } = reply;
  const scanned = scanReply(body, skipSpace(body, 0));
  if (scanned === undefined || scanned.resultStart === -1) return outcome;
  const { resultStart, resultEnd } = scanned;
  const nodeId = body.toString('utf8', resultStart, resultEnd);
  const id = await filters.add(owner, { upstream, nodeId }).catch(() => undefined);
  if (id === undefined) return UNAVAILABLE;
  const named = [body.subarray(0, resultStart), Buffer.from(`"${id}"`), body.subarray(resultEnd)];
  return { type: 'whole', reply: { ...reply, body: Buffer.concat(named) }, upstream };
}

/** @param own what differs from the client's call */
function queryFor(
  request: RpcRequest,
  ruled: RuledCall,
  own: Pick<UpstreamQuery, 'body' | 'upstream'>,
): UpstreamQuery {
  const query = queryOf(request, ruled);
  return { ...query, ...own, acceptEncoding: undefined };
}

/** The gateway's own answer; empty for a call without an id. */
function answerWith({ body }: RpcRequest, { call: { idStart, idEnd } }: RuledCall, outcome: string): Outcome {
  if (idStart === -1) return { type: 'whole', reply: { ...HEAD, body: EMPTY } };
  const pieces = ['{"jsonrpc":"2.0","id":', body.subarray(idStart, idEnd), `,${outcome}}`];
  return {
    type: 'whole',
    reply: { ...HEAD, body: Buffer.concat(pieces.map((piece) => Buffer.from(piece))) },
  };
}

const NO_ID_ERROR = '"error":{"code":-32602,"message":"invalid params: expected the id of a filter"}';
const NO_ROOM_ERROR =
  '"error":{"code":-32005,"message":"too many filters in use: uninstall some, or wait until they are forgotten"}';
const UNAVAILABLE: Outcome = { type: 'failed', failure: 'unavailable' };
const EMPTY = Buffer.alloc(0);
const HEAD: ReplyHead = {
  status: 200,
  contentType: 'application/json',
  contentEncoding: undefined,
  retryAfter: undefined,
  contentLength: -1,
};

/** Where the first parameter of a list starts; -1 if it is not a string. */
function findFirstString(body: Buffer, paramsStart: number): number {
  if (paramsStart === -1 || body[paramsStart] !== 0x5b) return -1;
  const at = skipSpace(body, paramsStart + 1);
  return body[at] === 0x22 ? at : -1;
}
