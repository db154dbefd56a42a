import { Pool } from 'undici';
import { expectJson, HttpClient, JsonRpc, readRpcText, unwrap } from '@chainwatch/chain-core';
import type { EndpointOptions, RpcAnswer, RpcCall } from '@chainwatch/chain-core';
import type { RpcTransport } from './rpc-transport.ts';

const batchSize = 100;

/** JSON-RPC over HTTP. */
export class HttpTransport implements RpcTransport {
  readonly #http: HttpClient;
  readonly #rpc: JsonRpc<AbortSignal | undefined>;

  constructor(options: EndpointOptions) {
    const { path } = options.endpoint;
    this.#http = new HttpClient({ ...options, openPool: (origin, pool) => new Pool(origin, pool) });
    this.#rpc = new JsonRpc(async (what, body, signal) =>
      expectJson(what, readRpcText(what, await this.#http.send({ what, method: 'POST', path, body, signal }))),
    );
  }

  async call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    return unwrap(await this.#rpc.call({ method, params }, signal));
  }

  callMany(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]> {
    return this.#rpc.callMany(calls, batchSize, signal);
  }

  close(): void {
    this.#http.close();
  }
}
