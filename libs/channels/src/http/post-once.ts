// SPDX-License-Identifier: Apache-2.0
import type { HttpClient, HttpResponse } from '@chainwatch/outbound';
import type { Attempt, ErrorCode } from '../attempt.ts';
import { awaitAnswer } from '../await-answer.ts';
import { classifyFailure } from './classify-failure.ts';

const CAPTURE_BYTES_MAX = 16 * 1024;

export interface PostInput {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly http: HttpClient;
  /** For all of it together: name look-up, connection, TLS, status. */
  readonly timeoutMs: number;
  /** See SendRequest. */
  readonly answerMs?: number | undefined;
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
  const outcome = await awaitAnswer(input.answerMs, UNANSWERED, (sent) => post(input, sent));
  return { startedAt, durationMs: Math.round(performance.now() - started), ...outcome };
}

const UNANSWERED: Omit<Outcome, 'startedAt' | 'durationMs'> = {
  statusCode: undefined,
  errorCode: 'timeout',
  responseHeaders: undefined,
  responseBody: undefined,
  retryAfterMs: undefined,
};

async function post(
  { url, headers, body, http, timeoutMs }: PostInput,
  sent: () => void,
): Promise<Omit<Outcome, 'startedAt' | 'durationMs'>> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(new Error('the time was up')), timeoutMs);
  try {
    const answer = await http.request({ url, method: 'POST', headers, body, sent, signal: abort.signal });
    const responseHeaders = joinHeaders(answer.headers);
    return {
      statusCode: answer.status,
      errorCode: classifyStatus(answer.status),
      responseHeaders,
      responseBody: await captureBody(answer.body),
      retryAfterMs: parseRetryAfter(responseHeaders['retry-after'], Date.now()),
    };
  } catch (error) {
    return abort.signal.aborted ? UNANSWERED : { ...UNANSWERED, errorCode: classifyFailure(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** What a status that is not 2xx means. */
export function classifyStatus(status: number): ErrorCode | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 410) return 'gone';
  return status >= 300 && status < 400 ? 'redirect_refused' : 'http_error';
}

/** `Retry-After` (RFC 9110 §10.2.3), seconds or an HTTP date, as milliseconds from now. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value.trim())) return Number(value.trim()) * 1_000;
  // Date.parse also accepts texts that are no HTTP dates, such as `-5`.
  const at = /^[A-Za-z]{3}/.test(value.trim()) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

function joinHeaders(headers: HttpResponse['headers']): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) joined[name] = Array.isArray(value) ? value.join(', ') : value;
  return joined;
}

/**
 * The first 16 KiB as text. A body that is cut short, by its sender or because the time is up, does not change the
 * status: what arrived by then is kept.
 */
async function captureBody(body: HttpResponse['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Closed already: it broke before anybody could read it.
  if (!body.closed)
    await new Promise((resolve) => {
      body
        .on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          length += chunk.length;
          if (length >= CAPTURE_BYTES_MAX) body.destroy();
        })
        .once('close', resolve);
    });
  // PostgreSQL's text holds no NUL.
  return Buffer.concat(chunks).subarray(0, CAPTURE_BYTES_MAX).toString('utf8').replaceAll('\0', '\uFFFD');
}
