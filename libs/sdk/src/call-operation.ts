// SPDX-License-Identifier: Apache-2.0
import createOpenApiClient, { createQuerySerializer } from 'openapi-fetch';
import { readProblem, ConnectionError } from './errors.ts';
import { webcrypto } from '#webcrypto';
import { planRetry } from './plan-retry.ts';
import { wait } from './wait.ts';

export interface ClientOptions {
  /** With the version: `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** A key of a project (`svc_api_…`), or of the management interface (`svc_mgt_…`). */
  readonly apiKey: string;
  /** Of each attempt, default 30,000. */
  readonly timeoutMs?: number;
  /** Default: that of the runtime. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Of a POST, default a new UUID for each call: the same key and request are carried out once (24 hours). */
  readonly idempotencyKey?: string;
}

/** One call of an operation of the OpenAPI document. */
export interface OperationCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As the document has it, `/addresses/{address}`. */
  readonly path: string;
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: object;
  readonly body?: unknown;
  /** The answer is a document that is no JSON: its bytes as they come. */
  readonly isDocument?: boolean;
  /** Of a body that is text. */
  readonly contentType?: string;
  readonly options?: RequestOptions;
}

/** Sends a call and resolves to the answer's body. @throws ProblemError, ConnectionError */
export type CallOperation = <Answer>(call: OperationCall) => Promise<Answer>;

const TIMEOUT_MS = 30_000;

export function createCallOperation(options: ClientOptions): CallOperation {
  const { timeoutMs = TIMEOUT_MS, fetch = (...input) => globalThis.fetch(...input) } = options;
  const client = createOpenApiClient<Record<string, never>>({
    baseUrl: options.baseUrl,
    headers: { 'X-Api-Key': options.apiKey },
    querySerializer: writeQuery,
    // The key would go with the request.
    redirect: 'manual',
    fetch: (request) => sendWithRetries(request, { fetch, timeoutMs }),
  });
  return async ({
    method,
    path,
    params = {},
    query,
    body,
    isDocument,
    contentType,
    options: { signal, idempotencyKey } = {},
  }) => {
    checkParams(params);
    const send = client.request as unknown as (
      ...args: readonly unknown[]
    ) => Promise<{ data?: unknown; error?: unknown; response: Response }>;
    const { data, error, response } = await send(method, path, {
      params: { path: params, query },
      ...(body !== undefined && { body }),
      ...(isDocument === true && { parseAs: 'stream' }),
      ...(contentType !== undefined && { bodySerializer: (text: unknown) => text }),
      ...(signal !== undefined && { signal }),
      headers: {
        ...(contentType !== undefined && { 'Content-Type': contentType }),
        ...(method === 'POST' && { 'Idempotency-Key': idempotencyKey ?? webcrypto.randomUUID() }),
      },
    });
    if (!response.ok) throw await readProblem(new Response(toText(error), response));
    return data as never;
  };
}

const writeLists = createQuerySerializer({ array: { style: 'form', explode: true } });

/** Lists are repeated, members of an object are `name[key]`. */
function writeQuery(query: Readonly<Record<string, unknown>>): string {
  const flat = Object.entries(query).flatMap(([name, value]) =>
    isObject(value)
      ? Object.entries(value).map(([key, member]) => [nameOf(name, key), member])
      : [[name, value]],
  );
  return writeLists(Object.fromEntries(flat) as Record<string, unknown>);
}

/** `{ 'metadata.shop': '7' }` is how releases before 0.2 wrote it. */
function nameOf(name: string, key: string): string {
  const prefix = `${name}.`;
  return key.startsWith(prefix)
    ? `${prefix}${encodeURIComponent(key.slice(prefix.length))}`
    : `${name}[${encodeURIComponent(key)}]`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A client that found no JSON in an error leaves its text. */
function toText(error: unknown): string {
  return typeof error === 'string' ? error : JSON.stringify(error ?? '');
}

/** An empty one would ask for the list, and a URL takes `.` and `..` as steps. */
function checkParams(params: Readonly<Record<string, string | number>>): void {
  for (const [name, value] of Object.entries(params))
    if (['', '.', '..', 'undefined', 'null'].includes(String(value)))
      throw new TypeError(`expected a value for ${name}, got ${JSON.stringify(value)}`);
}

interface SendOptions {
  readonly fetch: typeof globalThis.fetch;
  /** Of each attempt, its body included. */
  readonly timeoutMs: number;
}

/** Sends a request until its answer is one to keep. @throws ConnectionError when the last attempt had none */
async function sendWithRetries(request: Request, { fetch, timeoutMs }: SendOptions): Promise<Response> {
  const { method, signal } = request;
  const hasIdempotencyKey = request.headers.has('idempotency-key');
  for (let count = 1; ; count += 1) {
    const outcome = await attempt(request.clone(), fetch, timeoutMs);
    signal.throwIfAborted();
    const response = outcome instanceof ConnectionError ? undefined : outcome;
    const isClosed = outcome instanceof ConnectionError && isClosedConnection(outcome.cause);
    const delay = planRetry(
      { method, count, hasIdempotencyKey, response, isClosed },
      Date.now(),
      Math.random(),
    );
    if (delay !== undefined) await wait(delay, signal);
    else if (outcome instanceof ConnectionError) throw outcome;
    else return outcome;
  }
}

async function attempt(
  request: Request,
  fetch: SendOptions['fetch'],
  timeoutMs: number,
): Promise<Response | ConnectionError> {
  const abort = new AbortController();
  const stop = (): void => abort.abort(request.signal.reason);
  request.signal.addEventListener('abort', stop);
  const timer = setTimeout(
    () => abort.abort(new Error(`expected an answer within ${timeoutMs} ms, got none`)),
    timeoutMs,
  );
  try {
    const response = await fetch(request, { signal: abort.signal });
    // An answer that is cut off is none.
    const body = await response.arrayBuffer();
    return new Response(body.byteLength === 0 ? null : body, response);
  } catch (error) {
    const cause = abort.signal.aborted ? abort.signal.reason : error;
    return new ConnectionError(`${request.method} ${new URL(request.url).pathname} had no answer`, cause);
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', stop);
  }
}

/** Codes of Node and Deno, and of Bun. */
const CLOSED: readonly unknown[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ConnectionClosed'];

/** Runtimes do not say whether it was kept from an earlier request. */
function isClosedConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return CLOSED.includes((error as { readonly code?: unknown }).code) || isClosedConnection(error.cause);
}
