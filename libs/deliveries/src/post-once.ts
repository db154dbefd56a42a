import { request, type Dispatcher } from 'undici';
import type { Attempt } from './attempt.ts';
import { captureBody } from './capture-body.ts';
import { classifyFailure, classifyStatus } from './classify-failure.ts';
import { parseRetryAfter } from './retry-schedule.ts';

export interface PostInput {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly dispatcher: Dispatcher;
  /** Wall clock for everything: name, connection, TLS, status. */
  readonly timeoutMs: number;
}

export type Outcome = Pick<Attempt, 'startedAt' | 'durationMs' | 'statusCode' | 'errorCode' | 'responseHeaders' | 'responseBody' | 'retryAfterMs'>;

/** POSTs once. Never rejects: whatever happens is the outcome. The status counts, not how the body goes on. */
export async function postOnce(input: PostInput): Promise<Outcome> {
  const startedAt = new Date();
  const started = performance.now();
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), input.timeoutMs);
  const outcome = await post(input, deadline.signal);
  clearTimeout(timer);
  return { startedAt, durationMs: Math.round(performance.now() - started), ...outcome };
}

async function post({ url, headers, body, dispatcher }: PostInput, signal: AbortSignal): Promise<Omit<Outcome, 'startedAt' | 'durationMs'>> {
  try {
    const response = await request(url, { method: 'POST', headers, body, dispatcher, signal });
    const responseHeaders = flattenHeaders(response.headers);
    return {
      statusCode: response.statusCode,
      errorCode: classifyStatus(response.statusCode),
      responseHeaders,
      responseBody: await captureBody(response.body, signal),
      retryAfterMs: parseRetryAfter(responseHeaders['retry-after'], Date.now()),
    };
  } catch (error) {
    const errorCode = signal.aborted ? 'timeout' : classifyFailure(error);
    return { statusCode: undefined, errorCode, responseHeaders: undefined, responseBody: undefined, retryAfterMs: undefined };
  }
}

function flattenHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  return flat;
}
