import { ChainClientError, readAnswer, unwrap, type RpcAnswer, type RpcCall } from '@chainwatch/chain-core';
import { HttpClient, type HttpClientOptions } from './http-client.ts';

/** Nodes of TRON take few calls at once, and some none (`Batch size … exceeds`). */
const batchSize = 20;

/** Java-tron's Ethereum-compatible JSON-RPC. */
export class EvmApi {
  readonly #http: HttpClient;
  readonly #path: string;
  #nextId = 1;
  #hasBatch = true;

  constructor(options: HttpClientOptions) {
    this.#http = new HttpClient(options);
    this.#path = options.endpoint.path;
  }

  /** @throws ChainClientError, with the node's code where it answered with an error */
  async call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    return unwrap(await this.#callOne({ method, params }, signal));
  }

  /**
   * Many calls, answers in their order: as small batches, or one by one where the endpoint does not take batches.
   * @throws ChainClientError when the transport fails; a node's error to one call is that call's answer
   */
  async callMany(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]> {
    const answers: Promise<RpcAnswer[]>[] = [];
    for (let start = 0; start < calls.length; start += batchSize) answers.push(this.#callChunk(calls.slice(start, start + batchSize), signal));
    return (await Promise.all(answers)).flat();
  }

  close(): void {
    this.#http.close();
  }

  async #callChunk(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]> {
    if (this.#hasBatch && calls.length > 1) {
      const answers = await this.#batch(calls, signal);
      if (answers !== undefined) return answers;
      this.#hasBatch = false;
    }
    return Promise.all(calls.map((call) => this.#callOne(call, signal)));
  }

  async #callOne({ method, params }: RpcCall, signal?: AbortSignal): Promise<RpcAnswer> {
    const response = await this.#http.post(method, this.#path, { jsonrpc: '2.0', id: this.#nextId++, method, params }, signal);
    if (Array.isArray(response)) throw new ChainClientError(`${method}: expected one response, got a list`);
    return readAnswer(method, response);
  }

  /** Undefined when the endpoint answers lists with something else. */
  async #batch(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[] | undefined> {
    const firstId = this.#nextId;
    this.#nextId += calls.length;
    const body = calls.map(({ method, params }, index) => ({ jsonrpc: '2.0', id: firstId + index, method, params }));
    const what = `batch of ${calls.length} ${calls[0]?.method ?? ''}`;
    const responses = await this.#http.post(what, this.#path, body, signal);
    return Array.isArray(responses) ? orderAnswers(calls, firstId, responses) : undefined;
  }
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
