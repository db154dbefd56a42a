import type { Dispatcher } from 'undici';

const CAPTURE_BYTES_MAX = 16 * 1024;

export interface CapturedResponse {
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
export class ResponseReader implements Dispatcher.DispatchHandler {
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
