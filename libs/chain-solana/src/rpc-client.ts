// SPDX-License-Identifier: Apache-2.0
import { expectJson, HttpClient, readAnswer, readRpcText, unwrap } from '@chainwatch/chain-core';
import type { EndpointOptions } from '@chainwatch/chain-core';
import { createHttpClient } from '@chainwatch/outbound';
import { quoteLargeBalances } from './quote-large-balances.ts';
import { splitTransactions } from './split-transactions.ts';

export interface LargeAnswer {
  /** Its `transactions` can only be iterated (splitTransactions). */
  readonly result: unknown;
  /** The whole result, with lamports above 2^53 as texts. */
  readExact(): unknown;
}

/** Solana's JSON-RPC over HTTP. */
export class RpcClient {
  readonly #http: HttpClient;
  readonly #path: string;
  #nextId = 1;

  constructor(options: EndpointOptions) {
    this.#http = new HttpClient({ ...options, openHttp: createHttpClient });
    this.#path = options.endpoint.path;
  }

  /** Lamports beyond 2^53 come as texts. @throws ChainClientError, also for the node's own errors */
  async call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    return readResult(method, quoteLargeBalances(await this.#request(method, params, signal)));
  }

  /**
   * A large answer, parsed by JSON.parse alone, and exactly on demand: looking for lamports above 2^53 takes
   * as long as parsing, so the answer is parsed again only where one is found.
   */
  async callLarge(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<LargeAnswer> {
    const text = await this.#request(method, params, signal);
    return {
      result: readSplit(method, text) ?? readResult(method, text),
      readExact: () => readResult(method, quoteLargeBalances(text)),
    };
  }

  close(): void {
    this.#http.close();
  }

  async #request(
    method: string,
    params: readonly unknown[],
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: this.#nextId++, method, params });
    return readRpcText(
      method,
      await this.#http.send({ what: method, method: 'POST', path: this.#path, body, signal }),
    );
  }
}

function readSplit(method: string, text: string): unknown {
  const split = splitTransactions(text);
  if (split === undefined) return undefined;
  const result = unwrap(readAnswer(method, split.rest)) as { readonly transactions?: unknown } | null;
  const last = result?.transactions;
  // A list other than the block's was cut.
  if (!Array.isArray(last) || last.length !== 1) return undefined;
  return { ...result, transactions: { [Symbol.iterator]: () => chain(split.others, last) } };
}

function* chain(...lists: readonly Iterable<unknown>[]): Generator<unknown> {
  for (const list of lists) yield* list;
}

function readResult(method: string, text: string): unknown {
  return unwrap(readAnswer(method, expectJson(method, text)));
}
