import type { FamilyRpc, RpcError, RpcVerdict } from '@chainwatch/chain-core';
import { isNull, scanReply } from '../json/scan-reply.ts';
import { skipSpace } from '../json/skip-value.ts';
import type { WholeReply } from './response-sink.ts';

/** Credentials of ours that the node refuses: its fault, whatever it says about it. */
const REFUSES_US: ReadonlySet<number> = new Set([401, 402, 403]);
/** What the client sent is too long or no good, in its body, path or headers. */
const CLIENTS_FAULT: ReadonlySet<number> = new Set([400, 413, 414, 415, 431]);

/** Whether a status alone says that the node, or what stands in front of it, failed. */
export function isFailure(status: number): boolean {
  return status >= 500 || status === 429 || REFUSES_US.has(status);
}

export function judgeReply(rpc: FamilyRpc, reply: WholeReply): RpcVerdict {
  const { status, body } = reply;
  if (status === 429) return 'busy';
  if (REFUSES_US.has(status)) return 'broken';
  if (status >= 200 && status < 300)
    return reply.contentEncoding === undefined ? judgeBody(rpc, body) : 'answer';
  if (rpc.isBusyPage?.(status, body)) return 'busy';
  // Errors of some nodes come with 500 or 404: a JSON-RPC error is an answer whatever its status is.
  const isJson = isJsonRpc(body);
  if (status >= 500) return isJson ? judgeBody(rpc, body) : 'broken';
  // A wrong path, a refused credential: of this node, not of the call.
  return isJson ? judgeBody(rpc, body) : CLIENTS_FAULT.has(status) ? 'answer' : 'broken';
}

/** The same of an interface of paths, which are the client's: one that a node does not serve says nothing against the node. */
export function judgePathReply(rpc: FamilyRpc, { status, body, contentEncoding }: WholeReply): RpcVerdict {
  if (status === 429) return 'busy';
  if (REFUSES_US.has(status)) return 'broken';
  if (status >= 200 && status < 300)
    return (contentEncoding === undefined ? rpc.judgeText?.(body) : undefined) ?? 'answer';
  if (status >= 500 && status !== 501) return 'broken';
  return CLIENTS_FAULT.has(status) ? 'answer' : 'unable';
}

/**
 * What a client may see of a reply: what a node says in JSON passes as it is; of a page of the node, or of a proxy before
 * it, the status alone, because pages tell of the operator (paths with keys in them, addresses).
 */
export function withoutPage(reply: WholeReply): WholeReply {
  if (reply.status < 400 || (!REFUSES_US.has(reply.status) && startsAsJson(reply.body))) return reply;
  const body = Buffer.from(
    JSON.stringify({ error: `the node refused the request with status ${reply.status}` }),
  );
  return {
    status: reply.status,
    contentType: 'application/json',
    contentEncoding: undefined,
    retryAfter: reply.retryAfter,
    contentLength: body.length,
    body,
  };
}

/** Whether a reply is more than a page: a JSON-RPC reply, or JSON of an interface of paths. */
export function isTold(reply: WholeReply): boolean {
  return !REFUSES_US.has(reply.status) && startsAsJson(reply.body);
}

export function startsAsJson(body: Buffer): boolean {
  const first = body[skipSpace(body, 0)];
  return first === 0x7b || first === 0x5b;
}

function isJsonRpc(body: Buffer): boolean {
  return startsAsJson(body) && (body.includes('"error"') || body.includes('"result"'));
}

function judgeBody(rpc: FamilyRpc, body: Buffer): RpcVerdict {
  if (rpc.judgeText !== undefined) return rpc.judgeText(body);
  if (body.length > ERROR_BYTES_MAX || !mayHoldError(body)) return 'answer';
  const reply = scanReply(body, skipSpace(body, 0));
  if (reply === undefined || reply.errorStart === -1 || isNull(body, reply.errorStart, reply.errorEnd))
    return 'answer';
  return rpc.judgeError(parseError(body.toString('utf8', reply.errorStart, reply.errorEnd)));
}

/** Of a short body its own letters are looked at: cheaper than a call out of JavaScript. */
function mayHoldError(body: Buffer): boolean {
  if (body.length > SHORT_BYTES) return body.includes('"error"');
  for (let at = 0; at + 7 <= body.length; at += 1)
    if (body[at] === 0x22 && body[at + 1] === 0x65 && body[at + 2] === 0x72 && body[at + 6] === 0x22)
      return true;
  return false;
}

const SHORT_BYTES = 256;
/** Beyond that no error is looked for: nodes' errors are short. */
const ERROR_BYTES_MAX = 16_384;

function parseError(text: string): RpcError {
  try {
    const error = JSON.parse(text) as unknown;
    return typeof error === 'object' && error !== null ? error : {};
  } catch {
    return {};
  }
}
