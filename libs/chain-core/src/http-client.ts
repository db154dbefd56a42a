// SPDX-License-Identifier: Apache-2.0
import type { Dial } from './chain-family.ts';
import type { Endpoint } from './endpoint.ts';
import { ChainClientError } from './errors.ts';
import { receiveReply } from './receive-reply.ts';
import type { HttpAnswer, HttpReply } from './receive-reply.ts';
import { withDeadline } from './deadline.ts';
import { FairQueue } from './fair-queue.ts';

/** The part of `HttpClient` of libs/outbound that is used here. A family opens it, since this library does no I/O of its own. */
export interface HttpConnections {
  request(request: ConnectionRequest): Promise<HttpReply>;
  close(): void;
}

interface ConnectionRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
  /** Ends the request at any time, and its body. */
  readonly signal: AbortSignal;
}

export interface EndpointOptions {
  readonly endpoint: Endpoint;
  readonly dial?: Dial;
  readonly timeoutMs: number;
  /** Concurrent requests. */
  readonly concurrency: number;
}

export interface HttpClientOptions extends EndpointOptions {
  readonly openHttp: (options: {
    readonly dial: Dial | undefined;
    readonly connectTimeoutMs: number;
  }) => HttpConnections;
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

/** HTTP to one endpoint, over connections of its own. Redirects are not followed. */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #queue: FairQueue;
  #connections: HttpConnections | undefined;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#queue = new FairQueue({ atOnce: Math.max(1, options.concurrency) });
  }

  /** @throws ChainClientError when there is no answer; any status is one */
  send(request: HttpRequest): Promise<HttpAnswer> {
    const { what, signal, isPatient, timeoutMs = this.#options.timeoutMs } = request;
    const queue = request.timeoutMs === undefined ? this.#queue : undefined;
    return withDeadline({ what, timeoutMs, signal, queue, isPatient }, (inner) => this.#send(request, inner));
  }

  /** True while a request would have to wait. */
  get isBusy(): boolean {
    return this.#queue.isFull;
  }

  close(): void {
    this.#connections?.close();
    this.#connections = undefined;
  }

  async #send({ what, method, path, body }: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { headers, httpOrigin } = this.#options.endpoint;
    const reply = await this.#open().request({
      url: httpOrigin + path,
      method,
      headers: {
        ...headers,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body,
      signal,
    });
    return receiveReply(what, reply);
  }

  #open(): HttpConnections {
    if (this.#connections !== undefined) return this.#connections;
    const { endpoint, dial, timeoutMs, openHttp, refusesSocketUrl } = this.#options;
    if (endpoint.isSocket && refusesSocketUrl === true) {
      throw new ChainClientError('endpoint URL: expected http or https, got a WebSocket', {
        publicMessage: 'endpoint URL is not valid',
      });
    }
    this.#connections = openHttp({ dial, connectTimeoutMs: timeoutMs });
    return this.#connections;
  }
}
