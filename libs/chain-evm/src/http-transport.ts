import { Pool } from 'undici';
import { expectJson, HttpClient, JsonRpc, readAnswer, readRpcText, unwrap } from '@chainwatch/chain-core';
import type { EndpointOptions, RpcAnswer, RpcCall } from '@chainwatch/chain-core';
import type { RpcReply, RpcTransport } from './rpc-transport.ts';

const batchSize = 100;

/** JSON-RPC over HTTP. */
export class HttpTransport implements RpcTransport {
  readonly #http: HttpClient;
  readonly #path: string;
  readonly #rpc: JsonRpc<AbortSignal | undefined>;

  constructor(options: EndpointOptions) {
    const { path } = options.endpoint;
    this.#path = path;
    this.#http = new HttpClient({ ...options, openPool: (origin, pool) => new Pool(origin, pool) });
    this.#rpc = new JsonRpc(async (what, body, signal) =>
      expectJson(what, readRpcText(what, await this.#http.send({ what, method: 'POST', path, body, signal }))),
    );
  }

  async call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    return unwrap(await this.#rpc.call({ method, params }, signal));
  }

  async ask(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<RpcReply> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const { status, body: bytes } = await this.#http.fetch({ what: method, method: 'POST', path: this.#path, body, signal, isPatient: true });
    return {
      ...(status === 200 ? { bytes } : {}),
      result: () => unwrap(readAnswer(method, expectJson(method, readRpcText(method, { status, text: bytes.toString() })))),
    };
  }

  callMany(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]> {
    return this.#rpc.callMany(calls, batchSize, signal);
  }

  close(): void {
    this.#http.close();
  }
}
