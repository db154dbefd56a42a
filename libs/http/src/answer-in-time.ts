import type { Response } from 'express';
import { serviceUnavailable } from '@chainwatch/problem';

/** What a handler may listen to: made when somebody does. */
export interface LazySignal {
  readonly signal: AbortSignal;
}

/**
 * Settles as `work` does, or with 503 when that takes longer. `work` is told by its signal, also when the client goes
 * away; what it makes of that nobody hears any more.
 */
export function answerInTime<T>(
  res: Response,
  deadlineMs: number,
  work: (lazy: LazySignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const lazy = new ClientSignal(res);
    const timer = setTimeout(() => {
      reject(
        serviceUnavailable(
          `The request took longer than ${deadlineMs / 1_000} s; it may still be carried out.`,
          { retryAfterSeconds: 1 },
        ),
      );
      lazy.abort(new Error('the request took too long'));
    }, deadlineMs);
    work(lazy).then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

class ClientSignal implements LazySignal {
  readonly #res: Response;
  #controller: AbortController | undefined;
  #reason: Error | undefined;

  constructor(res: Response) {
    this.#res = res;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) this.#controller = this.#listen(new AbortController());
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#reason ??= reason;
    this.#controller?.abort(reason);
  }

  #listen(controller: AbortController): AbortController {
    const res = this.#res;
    if (this.#reason !== undefined) controller.abort(this.#reason);
    else if (res.destroyed && !res.writableFinished) controller.abort(GONE);
    else res.once('close', () => !res.writableFinished && controller.abort(GONE));
    return controller;
  }
}

const GONE = new Error('the client closed the connection');
