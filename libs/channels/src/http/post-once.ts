import type { Dispatcher } from 'undici';
import type { Attempt, ErrorCode } from '../attempt.ts';
import { classifyFailure } from './classify-failure.ts';

const CAPTURE_BYTES_MAX = 16 * 1024;

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

interface CapturedResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The first 16 KiB as text. */
  readonly body: string;
}

/**
 * Reads the response to one request from a dispatcher, without a stream in between. Reading stops after 16
 * KiB, at the end of the body, when the connection breaks or when the time is up. What arrived by then is
 * kept, since the status has already decided. Without a status by then, `response` rejects.
 */
class ResponseReader implements Dispatcher.DispatchHandler {
  readonly response: Promise<CapturedResponse>;
  isTimedOut = false;
  readonly #timer: NodeJS.Timeout;
  #resolve!: (response: CapturedResponse) => void;
  #reject!: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #statusCode: number | undefined;
  #headers: Record<string, string> = {};
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(timeoutMs: number) {
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = setTimeout(() => this.#expire(timeoutMs), timeoutMs);
  }

  /** The request is over, or was never made. */
  close(): void {
    clearTimeout(this.#timer);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The time was up before there was a connection.
    if (this.isTimedOut) controller.abort(new Error('the time was up'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // Early hints and their like come before the answer.
    if (statusCode < 200) return;
    this.#statusCode = statusCode;
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined) this.#headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < CAPTURE_BYTES_MAX) return;
    controller.abort(new Error('the rest is not read'));
    this.#finish();
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish(error);
  }

  #expire(timeoutMs: number): void {
    const error = new Error(`expected an answer within ${timeoutMs} ms, got none`);
    this.isTimedOut = true;
    this.#controller?.abort(error);
    this.#finish(error);
  }

  /** A body cut short does not change the status. */
  #finish(error = new Error('expected a status, got none')): void {
    if (this.#statusCode === undefined) return this.#reject(error);
    this.#resolve({ statusCode: this.#statusCode, headers: this.#headers, body: this.#readBody() });
  }

  // PostgreSQL's text holds no NUL.
  #readBody(): string {
    if (this.#length === 0) return '';
    return Buffer.concat(this.#chunks)
      .subarray(0, CAPTURE_BYTES_MAX)
      .toString('utf8')
      .replaceAll('\0', '\uFFFD');
  }
}
