import type { Dial } from './chain-family.ts';
import type { Endpoint } from './endpoint.ts';
import { ChainClientError } from './errors.ts';
import { receiveReply } from './receive-reply.ts';
import type { HttpAnswer, ReplyHandler } from './receive-reply.ts';
import { RequestSlots, withDeadline } from './request-slots.ts';

/** The part of undici's `Pool` that is used here. A family opens the pool, since this library does no I/O of its own. */
export interface HttpPool {
  dispatch(options: PoolRequest, handler: ReplyHandler): boolean;
  destroy(): Promise<void>;
}

interface PoolRequest {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
}

export interface PoolOptions {
  readonly connections: number;
  readonly connect: { readonly timeout: number; readonly lookup?: Dial['lookup'] };
}

export interface EndpointOptions {
  readonly endpoint: Endpoint;
  readonly dial?: Dial;
  readonly timeoutMs: number;
  /** Concurrent requests. */
  readonly concurrency: number;
}

export interface HttpClientOptions extends EndpointOptions {
  readonly openPool: (origin: string, options: PoolOptions) => HttpPool;
  /**
   * Refuses ws(s) URLs, for families whose nodes speak no WebSocket. Otherwise the host of such a URL is
   * asked over HTTP.
   */
  readonly refusesSocketUrl?: boolean;
}

export interface HttpRequest {
  /** Names the request in messages. */
  readonly what: string;
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly path: string;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /**
   * Lets other requests go first: for blocks that are read ahead, which would keep everything else waiting.
   */
  readonly isPatient?: boolean;
  /**
   * Replaces the client's time-out for a request that the node answers late on purpose. Such a request waits
   * for no slot.
   */
  readonly timeoutMs?: number;
}

/** Requests that take no slot: a wait for the next block and a scan. */
const LONG_REQUESTS_MAX = 4;

/** HTTP to one endpoint on one connection pool. Redirects are not followed. */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #slots: RequestSlots;
  #pool: HttpPool | undefined;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#slots = new RequestSlots(options.concurrency);
  }

  /** @throws ChainClientError when there is no answer; any status is one */
  send(request: HttpRequest): Promise<HttpAnswer> {
    const { what, signal, timeoutMs = this.#options.timeoutMs } = request;
    const task = (): Promise<HttpAnswer> =>
      withDeadline({ what, timeoutMs, signal }, (inner) => this.#send(request, timeoutMs, inner));
    return request.timeoutMs === undefined ? this.#slots.run(signal, task, request.isPatient) : task();
  }

  /** True while all slots are taken. */
  get isBusy(): boolean {
    return this.#slots.isBusy;
  }

  close(): void {
    void this.#pool?.destroy().catch(() => undefined);
    this.#pool = undefined;
  }

  #send(
    { what, method, path, body }: HttpRequest,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    const { headers } = this.#options.endpoint;
    const pool = this.#connect();
    const request = {
      path,
      method,
      headers: {
        ...headers,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    };
    return receiveReply(what, signal, (handler) => pool.dispatch(request, handler));
  }

  #connect(): HttpPool {
    if (this.#pool !== undefined) return this.#pool;
    const { endpoint, dial, concurrency, timeoutMs, openPool, refusesSocketUrl } = this.#options;
    if (endpoint.isSocket && refusesSocketUrl === true) {
      throw new ChainClientError('endpoint URL: expected http or https, got a WebSocket', {
        publicMessage: 'endpoint URL is not valid',
      });
    }
    dial?.check(endpoint.httpOrigin);
    this.#pool = openPool(endpoint.httpOrigin, {
      connections: concurrency + LONG_REQUESTS_MAX,
      connect: { timeout: timeoutMs, lookup: dial?.lookup },
    });
    return this.#pool;
  }
}
