import { ChainClientError } from './errors.ts';
import { z } from 'zod';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** One JSON-RPC answer: the result, or the node's own error as one of ours. */
export type RpcAnswer =
  | { readonly type: 'result'; readonly result: unknown }
  | { readonly type: 'error'; readonly error: ChainClientError };

const errorSchema = z.object({ code: z.number().optional(), message: z.string().optional() });

/** Reads one response object. @throws ChainClientError when it is not JSON-RPC */
export function readAnswer(method: string, response: unknown): RpcAnswer {
  if (typeof response !== 'object' || response === null)
    throw new ChainClientError(`${method}: expected a JSON-RPC response`);
  if ('error' in response && response.error !== null && response.error !== undefined) {
    return { type: 'error', error: toRpcError(method, response.error) };
  }
  if (!('result' in response))
    throw new ChainClientError(`${method}: expected a result or an error, got neither`);
  return { type: 'result', result: response.result };
}

/** @throws the error of an answer that is one */
export function unwrap(answer: RpcAnswer): unknown {
  if (answer.type === 'error') throw answer.error;
  return answer.result;
}

function toRpcError(method: string, error: unknown): ChainClientError {
  const parsed = errorSchema.safeParse(typeof error === 'string' ? { message: error } : error);
  const code = parsed.data?.code;
  const message = (parsed.data?.message ?? 'no message').slice(0, 300);
  return new ChainClientError(`${method}: node error ${code ?? ''} ${message}`.replaceAll('  ', ' '), {
    publicMessage: `the node answered ${method} with an error`,
    nodeCode: code,
  });
}
