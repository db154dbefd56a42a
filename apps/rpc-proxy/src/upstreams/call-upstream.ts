import type { Upstream } from './upstream.ts';

/** A JSON-RPC error: the node is there, and cannot or will not say. */
export class NodeRefusedError extends Error {
  override readonly name = 'NodeRefusedError';
}

/** The gateway's own questions, outside of what clients wait for. @throws NodeRefusedError, or Error when there is no answer */
export async function callUpstream<T>(upstream: Upstream, method: string, params: readonly unknown[], signal: AbortSignal): Promise<T> {
  const { statusCode, body } = await upstream.pool.request({
    path: upstream.path,
    method: 'POST',
    headers: upstream.headers as string[],
    body: JSON.stringify({ jsonrpc: '2.0', id: 'health', method, params }),
    signal,
  });
  const text = await body.text();
  const reply = parse(text);
  if (reply === undefined) throw new Error(`expected JSON, got status ${statusCode}`);
  if (reply.error !== undefined && reply.error !== null) throw new NodeRefusedError(`${method} was refused`);
  return reply.result as T;
}

function parse(text: string): { result?: unknown; error?: unknown } | undefined {
  try {
    const reply = JSON.parse(text) as unknown;
    return typeof reply === 'object' && reply !== null && !Array.isArray(reply) ? reply : undefined;
  } catch {
    return undefined;
  }
}
