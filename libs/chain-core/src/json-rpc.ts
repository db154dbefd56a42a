// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { ChainClientError } from './errors.ts';
import type { HttpAnswer } from './receive-reply.ts';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** One JSON-RPC answer: the result, or the node's own error as one of ours. */
export type RpcAnswer =
  | { readonly type: 'result'; readonly result: unknown }
  | { readonly type: 'error'; readonly error: ChainClientError };

/** Carries one request body to the node and returns its parsed answer. @throws ChainClientError */
export type PostJson<Options> = (what: string, body: string, options: Options) => Promise<unknown>;

/** JSON-RPC 2.0 over any transport: numbers the calls, and finds the answer to each. */
export class JsonRpc<Options> {
  readonly #post: PostJson<Options>;
  #nextId = 1;
  /** False once the endpoint refused a list of calls. */
  #hasBatch = true;

  constructor(post: PostJson<Options>) {
    this.#post = post;
  }

  /** @throws ChainClientError when the transport fails; the node's own error is an answer */
  async call({ method, params }: RpcCall, options: Options): Promise<RpcAnswer> {
    const response = await this.#post(
      method,
      JSON.stringify({ jsonrpc: '2.0', id: this.#nextId++, method, params }),
      options,
    );
    if (Array.isArray(response)) throw new ChainClientError(`${method}: expected one response, got a list`);
    return readAnswer(method, response);
  }

  /**
   * Many calls in one request, answers in the order of `calls`.
   * @throws ChainClientError, with the node's code (-32600 where it gave none) when it does not take lists
   */
  async batch(calls: readonly RpcCall[], options: Options): Promise<RpcAnswer[]> {
    const firstId = this.#nextId;
    this.#nextId += calls.length;
    const body = calls.map(({ method, params }, index) => ({
      jsonrpc: '2.0',
      id: firstId + index,
      method,
      params,
    }));
    const what = `batch of ${calls.length} ${calls[0]?.method ?? ''}`;
    const response = await this.#post(what, JSON.stringify(body), options);
    if (Array.isArray(response)) return orderAnswers(calls, firstId, response);
    unwrap(readAnswer(what, response));
    throw new ChainClientError(`${what}: expected a list of responses`, { nodeCode: -32600 });
  }

  /**
   * Any number of calls, answers in their order: as batches, or one by one where the endpoint does not take batches.
   * @throws ChainClientError when the transport fails; a node's error to one call is that call's answer
   */
  async callMany(calls: readonly RpcCall[], batchSize: number, options: Options): Promise<RpcAnswer[]> {
    const answers: Promise<RpcAnswer[]>[] = [];
    for (let start = 0; start < calls.length; start += batchSize)
      answers.push(this.#callChunk(calls.slice(start, start + batchSize), options));
    return (await Promise.all(answers)).flat();
  }

  async #callChunk(calls: readonly RpcCall[], options: Options): Promise<RpcAnswer[]> {
    if (this.#hasBatch && calls.length > 1) {
      try {
        return await this.batch(calls, options);
      } catch (error) {
        if (isServerFault(error)) throw error;
        this.#hasBatch = false;
      }
    }
    return Promise.all(calls.map((call) => this.call(call, options)));
  }
}

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

/**
 * The text of an answer that may be JSON-RPC. Some nodes send a JSON-RPC error under an HTTP error; rate limits and server
 * faults stay what they are.
 * @throws ChainClientError with the HTTP status
 */
export function readRpcText(what: string, { status, text }: HttpAnswer): string {
  if (status === 200 || (status < 500 && status !== 429 && isErrorResponse(parseJson(text)))) return text;
  throw new ChainClientError(`${what}: HTTP ${status}`, { nodeCode: status });
}

/** @throws ChainClientError when `text` is not JSON */
export function expectJson(what: string, text: string): unknown {
  const parsed = parseJson(text);
  if (parsed === undefined)
    throw new ChainClientError(`${what}: expected JSON, got ${text.length} bytes of something else`);
  return parsed;
}

/** Undefined when `text` is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** -28: bitcoind is warming up. */
const SERVER_FAULT_CODES = new Set([-28, 401, 429]);

/**
 * A failure that a request of another form would not mend: no answer, refused credentials, rate limits,
 * warm-up, faults.
 */
export function isServerFault(error: unknown): boolean {
  if (!(error instanceof ChainClientError)) return true;
  const code = error.nodeCode;
  // Java-tron also says -32005 when a batch is too long, which a shorter one mends.
  if (code === -32005) return !/batch size/i.test(error.message);
  if (code === undefined || SERVER_FAULT_CODES.has(code)) return true;
  return code >= 500 && code < 600 && code !== 501;
}

function isErrorResponse(parsed: unknown): boolean {
  return (
    typeof parsed === 'object' && parsed !== null && 'error' in parsed && typeof parsed.error === 'object'
  );
}

/** Answers to calls that were numbered from `firstId` on, in the order of the calls. @throws ChainClientError when one is missing */
export function orderAnswers(
  calls: readonly RpcCall[],
  firstId: number,
  responses: readonly unknown[],
): RpcAnswer[] {
  const byId = new Map<unknown, unknown>();
  for (const response of responses) {
    if (typeof response === 'object' && response !== null && 'id' in response)
      byId.set(response.id, response);
  }
  return calls.map(({ method }, index) => {
    const response = byId.get(firstId + index);
    if (response === undefined)
      throw new ChainClientError(`${method}: expected ${calls.length} responses, one is missing`);
    return readAnswer(method, response);
  });
}

/**
 * What a node answers; undefined where it, or a gateway before it, answers that it does not serve the question.
 * @throws ChainClientError where no answer came
 */
export async function askIfServed<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ChainClientError && error.nodeCode !== undefined) return undefined;
    throw error;
  }
}
