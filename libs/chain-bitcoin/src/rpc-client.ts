// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { ChainClientError, JsonRpc, parseJson, unwrap } from '@chainwatch/chain-core';
import type { EndpointOptions, HttpClient, RpcAnswer, RpcCall } from '@chainwatch/chain-core';
import { openHttp } from './open-http.ts';
import { parseExactJson } from './parse-exact-json.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** For calls that the node answers late on purpose; they wait for no slot. */
  readonly timeoutMs?: number;
  /** The answer tells amounts, which may have more digits than a number holds. */
  readonly hasAmounts?: boolean;
}

const BATCH_SIZE = 100;
/** A full queue of the node is empty again within milliseconds. */
const BUSY_DELAYS_MS = [50, 150, 400];

/**
 * Bitcoin Core's JSON-RPC. Requests say 2.0. Core from 28 on answers in that form; older ones and bcoin
 * answer in the 1.x form, with both `result` and `error`, and with errors under HTTP 404 and 500. Both forms
 * are understood.
 */
export class RpcClient {
  readonly #http: HttpClient;
  readonly #rpc: JsonRpc<CallOptions>;
  readonly #path: string;

  constructor(options: EndpointOptions) {
    this.#http = openHttp(options);
    this.#rpc = new JsonRpc((what, body, callOptions) => this.#post(what, body, callOptions));
    this.#path = options.endpoint.path;
  }

  /** @throws ChainClientError, with the node's code where it answered with an error */
  async call(method: string, params: readonly unknown[], options: CallOptions = {}): Promise<unknown> {
    return unwrap(await this.#rpc.call({ method, params }, options));
  }

  /**
   * Many calls, answers in their order: as batches, or one by one where the endpoint does not take batches.
   * @throws ChainClientError when the transport fails; a node's error to one call is that call's answer
   */
  callMany(calls: readonly RpcCall[], signal?: AbortSignal): Promise<RpcAnswer[]> {
    return this.#rpc.callMany(calls, BATCH_SIZE, { signal });
  }

  close(): void {
    this.#http.close();
  }

  async #post(
    what: string,
    body: string,
    { signal, timeoutMs, hasAmounts = false }: CallOptions,
  ): Promise<unknown> {
    const request = { what, method: 'POST', path: this.#path, body, signal, timeoutMs } as const;
    for (const delayMs of BUSY_DELAYS_MS) {
      const { status, text } = await this.#http.send(request);
      if (status !== 503) return readResponse({ what, status, text, hasAmounts });
      await pause(delayMs, signal);
    }
    const { status, text } = await this.#http.send(request);
    return readResponse({ what, status, text, hasAmounts });
  }
}

async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(delayMs, undefined, { signal });
  } catch (error) {
    throw new ChainClientError('aborted while the node was busy', { cause: error });
  }
}

/** A JSON-RPC answer counts under any HTTP status; for other answers the status tells what is wrong. */
function readResponse({
  what,
  status,
  text,
  hasAmounts,
}: {
  readonly what: string;
  readonly status: number;
  readonly text: string;
  readonly hasAmounts: boolean;
}): unknown {
  const parsed = hasAmounts ? parseExactJson(text) : parseJson(text);
  if (isResponse(parsed) && status !== 429 && status !== 503) return parsed;
  if (status !== 200)
    throw new ChainClientError(`${what}: HTTP ${status}${REASONS[status] ?? ''}`, { nodeCode: status });
  throw new ChainClientError(
    `${what}: expected a JSON-RPC response, got ${text.length === 0 ? 'an empty body' : `${text.length} bytes of something else`}`,
  );
}

const REASONS: Readonly<Record<number, string>> = {
  401: ', the endpoint refuses the credentials',
  403: ', the endpoint does not allow this call to us',
  503: ', the work queue of the node is full',
};

function isResponse(parsed: unknown): boolean {
  if (Array.isArray(parsed)) return true;
  if (typeof parsed !== 'object' || parsed === null) return false;
  // A gateway's own error page in JSON has neither a code nor a result.
  return (
    'result' in parsed ||
    ('error' in parsed && typeof parsed.error === 'object' && parsed.error !== null && 'code' in parsed.error)
  );
}
