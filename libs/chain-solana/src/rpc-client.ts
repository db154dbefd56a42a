// SPDX-License-Identifier: Apache-2.0
import {
  expectJson,
  HttpClient,
  readAnswer,
  readRpcText,
  unwrap,
  type EndpointOptions,
} from '@chainwatch/chain-core';
import { createHttpClient } from '@chainwatch/outbound';

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

/**
 * Lamports are 64 bits, and JSON.parse rounds beyond 2^53 (9 million SOL, which some accounts hold): turns
 * balances of 16 digits and more into texts. Quotes inside a JSON text are escaped, so no log line can look
 * like one of these fields.
 */
export function quoteLargeBalances(text: string): string {
  return text
    .replace(LARGE_BALANCES, (list) => list.replace(/\d{16,}/g, '"$&"'))
    .replace(LARGE_LAMPORTS, '$1"$2"');
}

const LARGE_BALANCES = /"(?:pre|post)Balances":\s*\[[\d,\s]*\d{16}[\d,\s]*\]/g;
const LARGE_LAMPORTS = /("(?:lamports|postBalance)":\s*)(\d{16,})/g;

/** An answer about a block, cut at its transactions. */
interface SplitAnswer {
  /** The answer, with only the last transaction. */
  readonly rest: unknown;
  /**
   * The transactions before it, each parsed when the iteration reaches it. @throws SyntaxError where the text
   * was cut wrongly
   */
  readonly others: Iterable<unknown>;
}

const LIST = '"transactions":[';
const FIRST_KEY = /\{"\w+":/y;

/**
 * A block that is parsed at once is megabytes of objects that live until the last is decoded, and the garbage
 * collector spends as long on copying them as parsing takes; parsed one by one they die young. All
 * transactions begin with the same key, and quotes inside a JSON text are escaped. So a cut before each such
 * key gives whole transactions, or text that does not parse. Undefined where nothing can be cut.
 */
export function splitTransactions(text: string): SplitAnswer | undefined {
  const first = text.indexOf(LIST) + LIST.length;
  FIRST_KEY.lastIndex = first;
  const key = first < LIST.length ? undefined : FIRST_KEY.exec(text)?.[0];
  if (key === undefined) return undefined;
  const border = `},${key}`;
  const last = text.lastIndexOf(border) + 2;
  if (last <= first) return undefined;
  const rest = tryParse(text.slice(0, first) + text.slice(last));
  return rest === undefined
    ? undefined
    : { rest, others: { [Symbol.iterator]: () => readOthers(text, { first, last, border }) } };
}

function* readOthers(
  text: string,
  { first, last, border }: { readonly first: number; readonly last: number; readonly border: string },
): Generator<unknown> {
  for (let from = first; from < last; ) {
    const end = text.indexOf(border, from) + 1;
    yield JSON.parse(text.slice(from, end));
    from = end + 1;
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
