// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, HttpClient } from '@chainwatch/chain-core';
import type { EndpointOptions } from '@chainwatch/chain-core';
import { createHttpClient } from '@chainwatch/outbound';
import { parseJson } from './parse-json.ts';

/** The answer is not from a node, but a page of a gateway or a web site. */
export class NotJsonError extends ChainClientError {}

/** POSTs of JSON to one endpoint of java-tron. */
export class TronHttp {
  readonly #http: HttpClient;

  constructor(options: EndpointOptions) {
    this.#http = new HttpClient({ ...options, openHttp: createHttpClient, refusesSocketUrl: true });
  }

  /**
   * The parsed answer, integers of 16 and more digits as texts.
   * @throws ChainClientError, with the HTTP status where it is not 200
   */
  async post(
    what: string,
    { path, body, signal }: { readonly path: string; readonly body: string; readonly signal?: AbortSignal },
  ): Promise<unknown> {
    const { status, text } = await this.#http.send({ what, method: 'POST', path, body, signal });
    if (status !== 200) throw new ChainClientError(`${what}: HTTP ${status}`, { nodeCode: status });
    const parsed = parseJson(text);
    if (parsed === undefined)
      throw new NotJsonError(`${what}: expected JSON, got ${text.length} bytes of something else`);
    expectNoError(what, parsed);
    return parsed;
  }

  close(): void {
    this.#http.close();
  }
}

/** Java-tron reports failures under HTTP 200, rate limits included: `{"Error": "class … : …"}`. */
function expectNoError(what: string, parsed: unknown): void {
  if (typeof parsed !== 'object' || parsed === null || !('Error' in parsed)) return;
  throw new ChainClientError(`${what}: node error ${String(parsed.Error).slice(0, 300)}`, {
    publicMessage: `the node answered ${what} with an error`,
  });
}
