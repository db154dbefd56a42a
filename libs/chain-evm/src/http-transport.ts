import { Pool } from 'undici';
import { ChainClientError, readAnswer, readBody, RequestSlots, unwrap, withDeadline } from '@chainwatch/chain-core';
import type { Dial, Endpoint, RpcAnswer, RpcCall } from '@chainwatch/chain-core';
import type { RpcTransport } from './rpc-transport.ts';

export interface HttpTransportOptions {
  readonly endpoint: Endpoint;
  readonly dial?: Dial;
  readonly timeoutMs: number;
  readonly concurrency: number;
}

/** JSON-RPC over HTTP on one connection pool. Redirects are not followed. */
export class HttpTransport implements RpcTransport {
  readonly #options: HttpTransportOptions;
  readonly #slots: RequestSlots;
  #pool: Pool | undefined;
  #nextId = 1;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#slots = new RequestSlots(options.concurrency);
  }

  async call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    const id = this.#nextId++;
    const response = await this.#post(method, { jsonrpc: '2.0', id, method, params }, signal);
    if (Array.isArray(response)) throw new ChainClientError(`${method}: expected one response, got a list`);
    return unwrap(readAnswer(method, response));
  }

  async batch(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]> {
    const firstId = this.#nextId;
    this.#nextId += calls.length;
    const body = calls.map(({ method, params }, index) => ({ jsonrpc: '2.0', id: firstId + index, method, params }));
    const what = `batch of ${calls.length} ${calls[0]?.method ?? ''}`;
    const response = await this.#post(what, body, signal);
    if (!Array.isArray(response)) {
      unwrap(readAnswer(what, response));
      throw new ChainClientError(`${what}: expected a list of responses`, { nodeCode: -32600 });
    }
    return orderAnswers(calls, firstId, response);
  }

  close(): void {
    void this.#pool?.destroy().catch(() => undefined);
    this.#pool = undefined;
  }

  #post(what: string, body: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    return this.#slots.run(signal, () =>
      withDeadline({ what, timeoutMs: this.#options.timeoutMs, signal }, (inner) => this.#send(what, body, inner)),
    );
  }

  async #send(what: string, body: unknown, signal: AbortSignal): Promise<unknown> {
    const { endpoint } = this.#options;
    const { statusCode, body: stream } = await this.#connect().request({
      path: endpoint.path,
      method: 'POST',
      headers: { ...endpoint.headers, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
    const text = await readBody(what, stream);
    const parsed = parseJson(text);
    if (statusCode === 200) {
      if (parsed === undefined) throw new ChainClientError(`${what}: expected JSON, got ${text.length} bytes of something else`);
      return parsed;
    }
    // Some nodes send a JSON-RPC error under an HTTP error; rate limits and server faults stay what they are.
    if (statusCode < 500 && statusCode !== 429 && isErrorResponse(parsed)) return parsed;
    throw new ChainClientError(`${what}: HTTP ${statusCode}`, { nodeCode: statusCode });
  }

  #connect(): Pool {
    if (this.#pool !== undefined) return this.#pool;
    const { endpoint, dial, concurrency, timeoutMs } = this.#options;
    dial?.check(endpoint.httpOrigin);
    this.#pool = new Pool(endpoint.httpOrigin, {
      connections: concurrency,
      connect: { timeout: timeoutMs, ...(dial === undefined ? {} : { lookup: dial.lookup }) },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    return this.#pool;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isErrorResponse(parsed: unknown): boolean {
  return typeof parsed === 'object' && parsed !== null && 'error' in parsed && typeof parsed.error === 'object';
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
