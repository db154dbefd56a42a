import { Pool } from 'undici';
import { ChainClientError, readBody, RequestSlots, withDeadline } from '@chainwatch/chain-core';
import type { Dial, Endpoint } from '@chainwatch/chain-core';
import { parseJson } from './parse-json.ts';

export interface HttpClientOptions {
  readonly endpoint: Endpoint;
  readonly dial?: Dial;
  readonly timeoutMs: number;
  readonly concurrency: number;
}

/** What answers is no node: a page of a gateway, of a web site. */
export class NotJsonError extends ChainClientError {}

/** POSTs of JSON to one endpoint on one connection pool. Redirects are not followed. */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #slots: RequestSlots;
  #pool: Pool | undefined;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#slots = new RequestSlots(options.concurrency);
  }

  /**
   * The parsed answer, integers of 16 and more digits as texts.
   * @throws ChainClientError, with the HTTP status where it is not 200
   */
  post(what: string, path: string, body: unknown, signal?: AbortSignal): Promise<unknown> {
    const { timeoutMs } = this.#options;
    return this.#slots.run(signal, () => withDeadline({ what, timeoutMs, signal }, (inner) => this.#send(what, path, body, inner)));
  }

  close(): void {
    void this.#pool?.destroy().catch(() => undefined);
    this.#pool = undefined;
  }

  async #send(what: string, path: string, body: unknown, signal: AbortSignal): Promise<unknown> {
    const { endpoint } = this.#options;
    const { statusCode, body: stream } = await this.#connect().request({
      path,
      method: 'POST',
      headers: { ...endpoint.headers, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
    const text = await readBody(what, stream);
    if (statusCode !== 200) throw new ChainClientError(`${what}: HTTP ${statusCode}`, { nodeCode: statusCode });
    const parsed = parseJson(text);
    if (parsed === undefined) throw new NotJsonError(`${what}: expected JSON, got ${text.length} bytes of something else`);
    expectNoError(what, parsed);
    return parsed;
  }

  #connect(): Pool {
    if (this.#pool !== undefined) return this.#pool;
    const { endpoint, dial, concurrency, timeoutMs } = this.#options;
    if (endpoint.isSocket) throw new ChainClientError('endpoint URL: expected http or https, got a WebSocket', { publicMessage: 'endpoint URL is not valid' });
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

/** Java-tron says under HTTP 200 that it failed, also when it is asked too often: `{"Error": "class … : …"}`. */
function expectNoError(what: string, parsed: unknown): void {
  if (typeof parsed !== 'object' || parsed === null || !('Error' in parsed)) return;
  throw new ChainClientError(`${what}: node error ${String(parsed.Error).slice(0, 300)}`, { publicMessage: `the node answered ${what} with an error` });
}
