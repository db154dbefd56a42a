import type { Dispatcher } from 'undici';
import type { Attempt } from '../attempt.ts';
import { classifyFailure, classifyStatus } from './classify-failure.ts';
import { ResponseReader } from './response-reader.ts';
import { parseRetryAfter } from './parse-retry-after.ts';

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
