// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, HttpClient, type EndpointOptions } from '@chainwatch/chain-core';
import { createHttpClient } from '@chainwatch/outbound';

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

// Digits after a decimal point do not belong to an integer.
const STRING_OR_LONG = /"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}|(?<=[[,]\s*)0x[0-9a-f]{8,16}/g;
const LONG = /[:[,]\s*(?:-?\d{16,}|0x)/;

/**
 * JSON whose integers of 16 and more digits come as texts: amounts are 64-bit integers, and JSON.parse would round them.
 * In a list they keep a sign: in the lists that fields without a name come in, a text of digits is bytes. Java-tron writes
 * 4 and 8 bytes there as a bare `0x…`, which come as texts, too. Undefined when it is not JSON.
 */
export function parseJson(text: string): unknown {
  const exact = LONG.test(text)
    ? text.replace(STRING_OR_LONG, (token, at: number) =>
        token.startsWith('"') ? token : `"${isListed(text, at) && /^\d{16}/.test(token) ? '+' : ''}${token}"`,
      )
    : text;
  try {
    return JSON.parse(exact) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether the value at `at` is an item of a list, not a member of an object. */
function isListed(text: string, at: number): boolean {
  return !/:\s*$/.test(text.slice(Math.max(0, at - 20), at));
}
