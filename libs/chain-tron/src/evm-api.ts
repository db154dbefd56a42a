// SPDX-License-Identifier: Apache-2.0
import { JsonRpc, unwrap } from '@chainwatch/chain-core';
import type { EndpointOptions, RpcAnswer, RpcCall } from '@chainwatch/chain-core';
import { TronHttp } from './tron-http.ts';

/** Nodes of TRON take few calls at once, and some none (`Batch size … exceeds`). */
const BATCH_SIZE = 20;

/** Java-tron's Ethereum-compatible JSON-RPC. */
export class EvmApi {
  readonly #http: TronHttp;
  readonly #rpc: JsonRpc<AbortSignal | undefined>;

  constructor(options: EndpointOptions) {
    this.#http = new TronHttp(options);
    this.#rpc = new JsonRpc((what, body, signal) =>
      this.#http.post(what, { path: options.endpoint.path, body, signal }),
    );
  }

  /** @throws ChainClientError, with the node's code where it answered with an error */
  async call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    return unwrap(await this.#rpc.call({ method, params }, signal));
  }

  /**
   * Many calls, answers in their order: as small batches, or one by one where the endpoint does not take batches.
   * @throws ChainClientError when the transport fails; a node's error to one call is that call's answer
   */
  callMany(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]> {
    return this.#rpc.callMany(calls, BATCH_SIZE, signal);
  }

  close(): void {
    this.#http.close();
  }
}
