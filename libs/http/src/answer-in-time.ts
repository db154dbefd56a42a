import type { Response } from 'express';
import { serviceUnavailable } from '@chainwatch/problem';

/**
 * Settles as `work` does, or with 503 when that takes longer. `work` is told by its signal, also when the client goes
 * away; what it makes of that nobody hears any more.
 */
export async function answerInTime<T>(res: Response, deadlineMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort(new Error('the client closed the connection'));
  });
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(serviceUnavailable(`The request took longer than ${deadlineMs / 1_000} s; it may still be carried out.`, { retryAfterSeconds: 1 }));
      controller.abort(new Error('the request took too long'));
    }, deadlineMs);
  });
  try {
    return await Promise.race([work(controller.signal), deadline]);
  } finally {
    clearTimeout(timer);
  }
}
