// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from '@chainwatch/chain-core';
import type { EndpointOptions } from '@chainwatch/chain-core';
import { TronHttp } from './tron-http.ts';

/** Java-tron's HTTP API: `/wallet/…` at the head, `/walletsolidity/…` at the last solidified block. */
export class WalletApi {
  readonly #http: TronHttp;
  readonly #base: string;
  readonly #query: string;

  constructor(options: EndpointOptions) {
    this.#http = new TronHttp(options);
    const [path = '', query] = options.endpoint.path.split('?', 2);
    // The node's root URL, whether or not it was given with the API's own path.
    this.#base = path.replace(/\/+$/, '').replace(/\/wallet$/, '');
    this.#query = query === undefined ? '' : `?${query}`;
  }

  /** @throws ChainClientError */
  call(
    method: `wallet/${string}` | `walletsolidity/${string}`,
    body: object = {},
    signal?: AbortSignal,
  ): Promise<unknown> {
    return this.#http.post(method, {
      path: `${this.#base}/${method}${this.#query}`,
      body: JSON.stringify(body),
      signal,
    });
  }

  close(): void {
    this.#http.close();
  }
}

/** The node, or the gateway before it, does not serve this method. */
export function isNotServed(error: unknown): error is ChainClientError {
  return (
    error instanceof ChainClientError &&
    error.nodeCode !== undefined &&
    [403, 404, 405, 501].includes(error.nodeCode)
  );
}
