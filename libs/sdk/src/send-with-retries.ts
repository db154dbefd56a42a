// SPDX-License-Identifier: Apache-2.0
import { ConnectionError } from './errors.ts';
import { planRetry } from './plan-retry.ts';
import { wait } from './wait.ts';

export interface SendOptions {
  readonly fetch: typeof globalThis.fetch;
  /** Of each attempt, its body included. */
  readonly timeoutMs: number;
}

/** Sends a request until its answer is one to keep. @throws ConnectionError when the last attempt had none */
export async function sendWithRetries(
  request: Request,
  { fetch, timeoutMs }: SendOptions,
): Promise<Response> {
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
