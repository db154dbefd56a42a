import { Pool } from 'undici';
import { ChainClientError, readAnswer, readBody, RequestSlots, unwrap, withDeadline } from '@chainwatch/chain-core';
import type { Dial, Endpoint } from '@chainwatch/chain-core';
import { quoteLargeBalances } from './quote-large-balances.ts';

export interface RpcClientOptions {
  readonly endpoint: Endpoint;
  readonly dial?: Dial;
  readonly timeoutMs: number;
  readonly concurrency: number;
}

export interface LargeAnswer {
  readonly result: unknown;
  readExact(): unknown;
}

/** Solana's JSON-RPC over HTTP on one connection pool. Redirects are not followed. */
export class RpcClient {
  readonly #options: RpcClientOptions;
  readonly #slots: RequestSlots;
  #pool: Pool | undefined;
  #nextId = 1;

  constructor(options: RpcClientOptions) {
    this.#options = options;
    this.#slots = new RequestSlots(options.concurrency);
  }

  /** Lamports beyond 2^53 come as texts. @throws ChainClientError, also for the node's own errors */
  async call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    return readResult(method, quoteLargeBalances(await this.#request(method, params, signal)));
  }

  /**
   * The answer as JSON.parse has it, and exactly: looking for lamports beyond 2^53 takes as long as parsing, so large
   * answers are parsed without, and again where one is found.
   */
  async callLarge(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<LargeAnswer> {
    const text = await this.#request(method, params, signal);
    return { result: readResult(method, text), readExact: () => readResult(method, quoteLargeBalances(text)) };
  }

  close(): void {
    void this.#pool?.destroy().catch(() => undefined);
    this.#pool = undefined;
  }

  #request(method: string, params: readonly unknown[], signal: AbortSignal | undefined): Promise<string> {
    const { timeoutMs } = this.#options;
    const body = JSON.stringify({ jsonrpc: '2.0', id: this.#nextId++, method, params });
    return this.#slots.run(signal, () => withDeadline({ what: method, timeoutMs, signal }, (inner) => this.#send(method, body, inner)));
  }

  async #send(method: string, body: string, signal: AbortSignal): Promise<string> {
    const { endpoint } = this.#options;
    const { statusCode, body: stream } = await this.#connect().request({
      path: endpoint.path,
      method: 'POST',
      headers: { ...endpoint.headers, 'content-type': 'application/json', accept: 'application/json' },
      body,
      signal,
    });
    const text = await readBody(method, stream);
    if (statusCode === 200) return text;
    // Some providers send a JSON-RPC error under an HTTP error; rate limits and server faults stay what they are.
    if (statusCode < 500 && statusCode !== 429 && isErrorResponse(parseJson(text))) return text;
    throw new ChainClientError(`${method}: HTTP ${statusCode}`, { nodeCode: statusCode });
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

function readResult(method: string, text: string): unknown {
  const parsed = parseJson(text);
  if (parsed === undefined) throw new ChainClientError(`${method}: expected JSON, got ${text.length} bytes of something else`);
  return unwrap(readAnswer(method, parsed));
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
