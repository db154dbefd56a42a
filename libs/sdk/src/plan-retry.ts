// SPDX-License-Identifier: Apache-2.0
/** What came of an attempt: an answer, or none. */
export interface Attempt {
  readonly method: string;
  /** How many were made, this one included. */
  readonly count: number;
  /** A POST that carries an Idempotency-Key is carried out once, however often it is sent. */
  readonly hasIdempotencyKey: boolean;
  readonly response: Pick<Response, 'status' | 'headers'> | undefined;
  /** The connection was closed before the end of an answer: perhaps one kept from an earlier request, which the server had closed. */
  readonly isClosed?: boolean;
}

const ATTEMPTS_MAX = 5;
const BACKOFF_MS = 1_000;
const BACKOFF_MS_MAX = 30_000;
const JITTER_MS = 500;
/** The window of the rate limit is a minute: what a wrong clock asks for beyond it is not waited for. */
const RESET_MS_MAX = 60_000;

/**
 * Milliseconds until the same request is sent again, undefined for never. It follows the API's retry guidance: GET and
 * DELETE, and POST with its Idempotency-Key; 5xx and no answer by exponential backoff, 429 by `X-RateLimit-Reset`.
 * PATCH and PUT are left to the caller. The first attempt is repeated at once where its connection was closed.
 *
 * @param random 0 to 1
 */
export function planRetry(attempt: Attempt, nowMs: number, random: number): number | undefined {
  if (attempt.count >= ATTEMPTS_MAX || !mayRepeat(attempt)) return undefined;
  const { response, count } = attempt;
  if (attempt.isClosed === true && count === 1) return 0;
  const jitter = random * JITTER_MS;
  const backoff = Math.min(BACKOFF_MS * 2 ** (count - 1), BACKOFF_MS_MAX) + jitter;
  if (response === undefined) return backoff;
  const { status, headers } = response;
  const retryAfter = readRetryAfter(headers);
  if (status === 429) {
    const wait = readReset(headers, nowMs) ?? retryAfter;
    return wait === undefined ? backoff : wait + jitter;
  }
  // The first one with the same Idempotency-Key is still being carried out.
  if (status === 409) return retryAfter === undefined ? undefined : retryAfter + jitter;
  if (status >= 500) return Math.max(backoff, retryAfter ?? 0);
  return undefined;
}

function mayRepeat({ method, hasIdempotencyKey }: Attempt): boolean {
  return method === 'GET' || method === 'DELETE' || (method === 'POST' && hasIdempotencyKey);
}

/** While requests are left, it was another limit that refused this one. */
function readReset(headers: Headers, nowMs: number): number | undefined {
  const reset = readNumber(headers, 'x-ratelimit-reset');
  if (reset === undefined || Number(headers.get('x-ratelimit-remaining') ?? 0) > 0) return undefined;
  // By the clock of the server: that of this machine may be wrong.
  const serverMs = Date.parse(headers.get('date') ?? '');
  const wait = reset * 1_000 - (Number.isNaN(serverMs) ? nowMs : serverMs);
  return Math.min(Math.max(wait, 0), RESET_MS_MAX);
}

function readRetryAfter(headers: Headers): number | undefined {
  const seconds = readNumber(headers, 'retry-after');
  return seconds === undefined ? undefined : Math.min(seconds * 1_000, RESET_MS_MAX);
}

function readNumber(headers: Headers, name: string): number | undefined {
  const text = headers.get(name);
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}
