// SPDX-License-Identifier: Apache-2.0
import { text } from 'node:stream/consumers';
import type { PathCall, RpcPaths } from '@chainwatch/chain-core';
import { BaseError } from '@chainwatch/common/problem';
import type { Upstream } from './upstream.ts';

/** A JSON-RPC error: the node is there, but cannot or will not answer. */
export class NodeRefusedError extends BaseError {
  readonly code = 'node_refused';
  readonly retryable = true;
}

/** The node is there, but does not serve this interface. */
export class NotServedError extends BaseError {
  readonly code = 'not_served';
  readonly retryable = false;
}

/**
 * Sends one of the gateway's own questions, which no client waits for.
 * @throws NodeRefusedError, NotServedError, or Error when there is no answer
 */
export async function callUpstream<T>(
  upstream: Upstream,
  {
    method,
    params,
    signal,
  }: { readonly method: string; readonly params: readonly unknown[]; readonly signal: AbortSignal },
): Promise<T> {
  const reply = await post(upstream, {
    path: upstream.path,
    question: { jsonrpc: '2.0', id: 'health', method, params },
    signal,
  });
  if (reply.error !== undefined && reply.error !== null) throw new NodeRefusedError(`${method} was refused`);
  return reply.result as T;
}

/** The same over a path interface. */
export async function callPath<T>(
  upstream: Upstream,
  {
    paths: { isRefusal },
    question: [path, body],
    signal,
  }: { readonly paths: RpcPaths; readonly question: PathCall; readonly signal: AbortSignal },
): Promise<T> {
  const reply = await post(upstream, { path: upstream.pathOf(path), question: body, signal });
  if (isRefusal(reply)) throw new NodeRefusedError(`${path} was refused`);
  return reply as T;
}

async function post(
  upstream: Upstream,
  {
    path,
    question,
    signal,
  }: { readonly path: string; readonly question: object; readonly signal: AbortSignal },
): Promise<{ result?: unknown; error?: unknown }> {
  const { head, body, accept } = await upstream.ask(path, Buffer.from(JSON.stringify(question)), signal);
  const { status } = head;
  const reply = parse(await text(body));
  accept();
  // The node refuses our credentials, whatever else it says: it serves nobody.
  if (REFUSES_US.has(status)) throw new Error(`the node refuses our credentials with status ${status}`);
  if (NOT_SERVED.has(status) && reply?.error === undefined)
    throw new NotServedError(`expected the interface at this address, got status ${status}`);
  if (reply === undefined) throw new Error(`expected JSON, got status ${status}`);
  return reply;
}

const REFUSES_US: ReadonlySet<number> = new Set([401, 402, 403]);
const NOT_SERVED: ReadonlySet<number> = new Set([404, 405, 501]);

function parse(text: string): { result?: unknown; error?: unknown } | undefined {
  try {
    const reply = JSON.parse(text) as unknown;
    return typeof reply === 'object' && reply !== null && !Array.isArray(reply) ? reply : undefined;
  } catch {
    return undefined;
  }
}
