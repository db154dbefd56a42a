// SPDX-License-Identifier: Apache-2.0
import { withDeadline } from './deadline.ts';
import { ChainClientError } from './errors.ts';
import { FairQueue } from './fair-queue.ts';

const work = { what: 'eth_chainId', timeoutMs: 10_000 };

it('does the work in its turn, which the time-out does not cover', async () => {
  const queue = new FairQueue({ atOnce: 1 });
  const leave = await queue.enter({ owner: 'other' });
  let isBegun = false;
  const answer = withDeadline({ ...work, timeoutMs: 5, queue }, async () => (isBegun = true));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isBegun).toBe(false);
  leave();
  expect(await answer).toBe(true);
  expect(queue.isFull).toBe(false);
});

it('forgets who aborts while it waits', async () => {
  const queue = new FairQueue({ atOnce: 1 });
  const leave = await queue.enter({ owner: 'other' });
  const abort = new AbortController();
  const waiting = withDeadline({ ...work, queue, isPatient: true, signal: abort.signal }, () =>
    Promise.reject(new Error('was served')),
  );
  abort.abort(new Error('enough'));
  await expect(waiting).rejects.toMatchObject({ message: 'aborted before it was sent' });
  leave();
  expect(await withDeadline({ ...work, queue }, async () => 'served')).toBe('served');
});

it('names the work that took too long, and gives its turn back', async () => {
  const queue = new FairQueue({ atOnce: 1 });
  const slow = withDeadline(
    { ...work, timeoutMs: 5, queue },
    (signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  );
  const failure = await slow.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ChainClientError);
  expect(failure).toMatchObject({ message: 'eth_chainId: no answer within 5 ms' });
  expect(queue.isFull).toBe(false);
});
