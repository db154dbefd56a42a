// SPDX-License-Identifier: Apache-2.0
import {
  expectJson,
  HttpClient,
  isServerFault,
  JsonRpc,
  orderAnswers,
  readAnswer,
  readRpcText,
  unwrap,
} from '@chainwatch/chain-core';
import type { EndpointOptions, HttpAnswer, RpcAnswer, RpcCall } from '@chainwatch/chain-core';
import { createHttpClient } from '@chainwatch/outbound';
import type { RpcReply, RpcTransport } from './rpc-transport.ts';

const BATCH_SIZE = 100;

/** JSON-RPC over HTTP. */
export class HttpTransport implements RpcTransport {
  readonly #http: HttpClient;
  readonly #path: string;
  /** True once the endpoint has refused a list of calls for whole blocks. */
  #refusesLists = false;
  readonly #rpc: JsonRpc<AbortSignal | undefined>;

  constructor(options: EndpointOptions) {
    const { path } = options.endpoint;
    this.#path = path;
    this.#http = new HttpClient({ ...options, openHttp: createHttpClient });
    this.#rpc = new JsonRpc(async (what, body, signal) =>
      expectJson(
        what,
        readRpcText(what, await this.#http.send({ what, method: 'POST', path, body, signal })),
      ),
    );
  }

  async call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    return unwrap(await this.#rpc.call({ method, params }, signal));
  }

  async ask(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<RpcReply> {
    const reply = await this.#fetch(method, { jsonrpc: '2.0', id: 1, method, params }, signal);
    let answer: RpcAnswer | undefined;
    return { result: () => unwrap((answer ??= readAnswer(method, parse(method, reply)))) };
  }

  askTogether(
    calls: readonly RpcCall[],
    signal?: AbortSignal,
  ): Promise<readonly RpcReply[] | undefined> | undefined {
    return this.#refusesLists || !this.#http.isBusy ? undefined : this.#askTogether(calls, signal);
  }

  async #askTogether(
    calls: readonly RpcCall[],
    signal: AbortSignal | undefined,
  ): Promise<readonly RpcReply[] | undefined> {
    const what = `batch of ${calls.length} ${calls[0]?.method ?? ''}`;
    const reply = await this.#fetch(
      what,
      calls.map(({ method, params }, index) => ({ jsonrpc: '2.0', id: index + 1, method, params })),
      signal,
    );
    if (reply.status !== 200 || !reply.text.startsWith('[')) {
      this.#noteRefusal(what, reply);
      return undefined;
    }
    let answers: readonly RpcAnswer[] | undefined;
    const answer = (index: number): RpcAnswer =>
      (answers ??= orderAnswers(calls, 1, parse(what, reply) as unknown[]))[index] as RpcAnswer;
    const result = (index: number): unknown => {
      const given = answer(index);
      // An error that a call by itself may not have: the list was too long, or its answer too large.
      if (given.type === 'error' && !isServerFault(given.error)) this.#refusesLists = true;
      return unwrap(given);
    };
    return calls.map((_, index) => ({ result: () => result(index) }));
  }

  #fetch(what: string, body: object, signal: AbortSignal | undefined): Promise<HttpAnswer> {
    return this.#http.send({
      what,
      method: 'POST',
      path: this.#path,
      body: JSON.stringify(body),
      signal,
      isPatient: true,
    });
  }

  /** @throws ChainClientError where single calls would fail as well */
  #noteRefusal(what: string, reply: HttpAnswer): void {
    try {
      unwrap(readAnswer(what, parse(what, reply)));
    } catch (error) {
      if (isServerFault(error)) throw error;
    }
    this.#refusesLists = true;
  }

  callMany(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]> {
    return this.#rpc.callMany(calls, BATCH_SIZE, signal);
  }

  close(): void {
    this.#http.close();
  }
}

/** @throws ChainClientError */
function parse(what: string, reply: HttpAnswer): unknown {
  return expectJson(what, readRpcText(what, reply));
}
