import { setTimeout as sleep } from 'node:timers/promises';
import { ChainClientError, readAnswer, unwrap } from '@chainwatch/chain-core';
import type { RpcAnswer, RpcCall } from '@chainwatch/chain-core';
import { isServerFault } from './classify-node-error.ts';
import { HttpClient } from './http-client.ts';
import type { HttpClientOptions } from './http-client.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** For calls that take long on purpose; they wait for no slot. */
  readonly timeoutMs?: number;
}

const batchSize = 100;
/** A queue of the node that is full is empty again within milliseconds. */
const busyDelaysMs = [50, 150, 400];

/**
 * Bitcoin Core's JSON-RPC. Requests say 2.0: a node from 28 on answers in that form, an older one and bcoin answer in the 1.x
 * form, with `result` and `error` both there and errors under HTTP 404 and 500; each is understood.
 */
export class RpcClient {
  readonly #http: HttpClient;
  readonly #path: string;
  #nextId = 1;
  /** False once the endpoint refused a list of calls. */
  #hasBatch = true;

  constructor(options: HttpClientOptions) {
    this.#http = new HttpClient(options);
    this.#path = options.endpoint.path;
  }

  /** @throws ChainClientError, with the node's code where it answered with an error */
  async call(method: string, params: readonly unknown[], options: CallOptions = {}): Promise<unknown> {
    return unwrap(await this.#callOne({ method, params }, options));
  }

  /**
   * Many calls, answers in their order: as batches, or one by one where the endpoint does not take batches.
   * @throws ChainClientError when the transport fails; a node's error to one call is that call's answer
   */
  async callMany(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]> {
    const answers: Promise<RpcAnswer[]>[] = [];
    for (let start = 0; start < calls.length; start += batchSize) answers.push(this.#callChunk(calls.slice(start, start + batchSize), signal));
    return (await Promise.all(answers)).flat();
  }

  close(): void {
    this.#http.close();
  }

  async #callChunk(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]> {
    if (this.#hasBatch && calls.length > 1) {
      try {
        return await this.#batch(calls, signal);
      } catch (error) {
        if (isServerFault(error)) throw error;
        this.#hasBatch = false;
      }
    }
    return Promise.all(calls.map((call) => this.#callOne(call, { signal })));
  }

  async #callOne({ method, params }: RpcCall, options: CallOptions): Promise<RpcAnswer> {
    const response = await this.#post(method, { jsonrpc: '2.0', id: this.#nextId++, method, params }, options);
    if (Array.isArray(response)) throw new ChainClientError(`${method}: expected one response, got a list`);
    return readAnswer(method, response);
  }

  async #batch(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]> {
    const firstId = this.#nextId;
    this.#nextId += calls.length;
    const body = calls.map(({ method, params }, index) => ({ jsonrpc: '2.0', id: firstId + index, method, params }));
    const what = `batch of ${calls.length} ${calls[0]?.method ?? ''}`;
    const response = await this.#post(what, body, { signal });
    if (!Array.isArray(response)) {
      unwrap(readAnswer(what, response));
      throw new ChainClientError(`${what}: expected a list of responses`, { nodeCode: -32600 });
    }
    return orderAnswers(calls, firstId, response);
  }

  async #post(what: string, body: unknown, { signal, timeoutMs }: CallOptions): Promise<unknown> {
    const request = { what, method: 'POST', path: this.#path, body: JSON.stringify(body), signal, timeoutMs } as const;
    for (const delayMs of busyDelaysMs) {
      const { status, text } = await this.#http.send(request);
      if (status !== 503) return readResponse(what, status, text);
      await pause(delayMs, signal);
    }
    const { status, text } = await this.#http.send(request);
    return readResponse(what, status, text);
  }
}

async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(delayMs, undefined, { signal });
  } catch (error) {
    throw new ChainClientError('aborted while the node was busy', { cause: error });
  }
}

/** Under any status, an answer that is JSON-RPC counts; of the others the status tells what is wrong. */
function readResponse(what: string, status: number, text: string): unknown {
  const parsed = parseJson(text);
  if (isResponse(parsed) && status !== 429 && status !== 503) return parsed;
  if (status !== 200) throw new ChainClientError(`${what}: HTTP ${status}${reasons[status] ?? ''}`, { nodeCode: status });
  throw new ChainClientError(`${what}: expected a JSON-RPC response, got ${text.length === 0 ? 'an empty body' : `${text.length} bytes of something else`}`);
}

const reasons: Readonly<Record<number, string>> = {
  401: ', the endpoint refuses the credentials',
  403: ', the endpoint does not allow this call to us',
  503: ', the work queue of the node is full',
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isResponse(parsed: unknown): boolean {
  if (Array.isArray(parsed)) return true;
  if (typeof parsed !== 'object' || parsed === null) return false;
  // A gateway's own error page in JSON has neither a code nor a result.
  return 'result' in parsed || ('error' in parsed && typeof parsed.error === 'object' && parsed.error !== null && 'code' in parsed.error);
}

function orderAnswers(calls: readonly RpcCall[], firstId: number, responses: readonly unknown[]): RpcAnswer[] {
  const byId = new Map<unknown, unknown>();
  for (const response of responses) {
    if (typeof response === 'object' && response !== null && 'id' in response) byId.set(response.id, response);
  }
  return calls.map(({ method }, index) => {
    const response = byId.get(firstId + index);
    if (response === undefined) throw new ChainClientError(`${method}: expected ${calls.length} responses, one is missing`);
    return readAnswer(method, response);
  });
}
