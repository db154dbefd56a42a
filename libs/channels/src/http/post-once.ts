import type { Dispatcher } from 'undici';
import type { Attempt } from '../attempt.ts';
import { classifyFailure, classifyStatus } from './classify-failure.ts';
import { ResponseReader } from './response-reader.ts';

export interface PostInput {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly dispatcher: Dispatcher;
  /** For all of it together: name look-up, connection, TLS, status. */
  readonly timeoutMs: number;
}

export type Outcome = Pick<
  Attempt,
  | 'startedAt'
  | 'durationMs'
  | 'statusCode'
  | 'errorCode'
  | 'responseHeaders'
  | 'responseBody'
  | 'retryAfterMs'
  | 'pauseMs'
>;

/** POSTs once. Never rejects: whatever happens is the outcome. The status decides, even when the body breaks off. */
export async function postOnce(input: PostInput): Promise<Outcome> {
  const startedAt = new Date();
  const started = performance.now();
  const outcome = await post(input);
  return { startedAt, durationMs: Math.round(performance.now() - started), ...outcome };
}

async function post({
  url,
  headers,
  body,
  dispatcher,
  timeoutMs,
}: PostInput): Promise<Omit<Outcome, 'startedAt' | 'durationMs'>> {
  const reader = new ResponseReader(timeoutMs);
  try {
    const { origin, pathname, search } = new URL(url);
    dispatcher.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, reader);
    const { statusCode, headers: responseHeaders, body: responseBody } = await reader.response;
    return {
      statusCode,
      errorCode: classifyStatus(statusCode),
      responseHeaders,
      responseBody,
      retryAfterMs: parseRetryAfter(responseHeaders['retry-after'], Date.now()),
    };
  } catch (error) {
    const errorCode = reader.isTimedOut ? 'timeout' : classifyFailure(error);
    return {
      statusCode: undefined,
      errorCode,
      responseHeaders: undefined,
      responseBody: undefined,
      retryAfterMs: undefined,
    };
  } finally {
    reader.close();
  }
}

/** `Retry-After` (RFC 9110 §10.2.3), seconds or an HTTP date, as milliseconds from now. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value.trim())) return Number(value.trim()) * 1_000;
  // Date.parse also accepts texts that are no HTTP dates, such as `-5`.
  const at = /^[A-Za-z]{3}/.test(value.trim()) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
