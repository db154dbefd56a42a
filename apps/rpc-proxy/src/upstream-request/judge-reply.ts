// SPDX-License-Identifier: Apache-2.0
import type { FamilyRpc, RpcError, RpcVerdict } from '@chainwatch/chain-core';
import { isNull, scanReply } from '../json/scan-reply.ts';
import { skipSpace } from '../json/skip-value.ts';
import type { WholeReply } from './outcome.ts';
import { hasForm } from './reply-form.ts';

/** The node refuses our credentials: its fault, whatever the reply says. */
const REFUSES_US: ReadonlySet<number> = new Set([401, 402, 403]);
/** The client's body, path or headers are too long or malformed. */
const CLIENTS_FAULT: ReadonlySet<number> = new Set([400, 413, 414, 415, 431]);

/** Whether the status alone shows that the node, or a proxy in front of it, failed. */
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
  // Some nodes send errors with status 500 or 404: a JSON-RPC error is an answer whatever its status.
  const isJson = isJsonRpc(body);
  if (status >= 500) return isJson ? judgeBody(rpc, body) : 'broken';
  // A wrong path or refused credentials are the node's fault, not the call's.
  return isJson ? judgeBody(rpc, body) : CLIENTS_FAULT.has(status) ? 'answer' : 'broken';
}

/**
 * The same for a path interface. The client chooses the path, so a path that the node does not serve is not the node's
 * failure.
 */
export function judgePathReply(rpc: FamilyRpc, { status, body, contentEncoding }: WholeReply): RpcVerdict {
  if (status === 429) return 'busy';
  if (REFUSES_US.has(status)) return 'broken';
  if (status >= 200 && status < 300)
    return (contentEncoding === undefined ? rpc.judgeText?.(body) : undefined) ?? 'answer';
  if (status >= 500 && status !== 501) return 'broken';
  return CLIENTS_FAULT.has(status) ? 'answer' : 'unable';
}

/**
 * What a client may see of a reply. JSON-RPC passes unchanged, and so does JSON of a path interface. Of anything else,
 * from the node or a proxy in front of it, only the status passes: pages reveal things about the operator (paths with
 * keys in them, addresses).
 */
export function withoutPage(reply: WholeReply, isPath: boolean): WholeReply {
  if (!isError(reply.status) || isTold(reply, isPath)) return reply;
  const body = Buffer.from(JSON.stringify({ error: sayRefused(reply.status) }));
  return {
    status: reply.status,
    contentType: 'application/json',
    contentEncoding: undefined,
    retryAfter: reply.retryAfter,
    contentLength: body.length,
    body,
  };
}

export function sayRefused(status: number): string {
  return `the node refused the request with status ${status}`;
}

/** Whether a reply is more than a page: JSON-RPC, or JSON of a path interface. */
export function isTold({ status, body }: WholeReply, isPath: boolean): boolean {
  return !REFUSES_US.has(status) && hasForm(isPath ? 'path' : 'reply', { bytes: body, isWhole: true });
}

/** An error of HTTP is judged by its status, because its body may be a page. */
export function isError(status: number): boolean {
  return status < 200 || status >= 300;
}

/** `Retry-After` in seconds, within limits; one second if the node does not say. */
export function readPauseMs(retryAfter: string | undefined): number {
  const seconds = Number(retryAfter ?? 1);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0.1), 30) * 1_000 : 1_000;
}

function startsAsJson(body: Buffer): boolean {
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

/** In a short body the bytes are searched one by one: cheaper than a call out of JavaScript. */
function mayHoldError(body: Buffer): boolean {
  if (body.length > SHORT_BYTES) return body.includes('"error"');
  for (let at = 0; at + 7 <= body.length; at += 1)
    if (body[at] === 0x22 && body[at + 1] === 0x65 && body[at + 2] === 0x72 && body[at + 6] === 0x22)
      return true;
  return false;
}

const SHORT_BYTES = 256;
/** Larger bodies are not searched for an error: nodes' errors are short. */
const ERROR_BYTES_MAX = 16_384;

function parseError(text: string): RpcError {
  try {
    const error = JSON.parse(text) as unknown;
    return typeof error === 'object' && error !== null ? error : {};
  } catch {
    return {};
  }
}
