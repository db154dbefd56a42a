import { Worker } from 'node:worker_threads';
import { networks } from 'bitcoinjs-lib';
import { DerivationUnavailableError } from '@chainwatch/chain-core';
import { DerivationPool } from './derivation-pool.ts';
import type { DerivationPoolOptions } from './derivation-pool.ts';
import type { DerivationTask } from './derivation-task.ts';

/** Echoes indexes as addresses after `change` milliseconds; index 666 ends the thread, 13 is a fault, 999 hangs. */
const script = `
  const { parentPort, threadId } = require('node:worker_threads');
  parentPort.on('message', ({ change, indexes }) => {
    if (indexes.includes(666)) process.exit(7);
    if (indexes.includes(999)) for (;;) {}
    setTimeout(() => parentPort.postMessage(indexes.includes(13) ? { fault: 'no such child' } : { addresses: indexes.map((index) => threadId + ':' + index) }), change);
  });`;

describe('DerivationPool', () => {
  const workers: Worker[] = [];
  const open = (options: Partial<DerivationPoolOptions> = {}): DerivationPool =>
    new DerivationPool({
      startWorker: () => workers[workers.push(new Worker(script, { eval: true })) - 1]!,
      ...options,
    });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.terminate()));
  });
  const indexesOf = (addresses: readonly string[]): number[] =>
    addresses.map((address) => Number(address.split(':')[1]));

  it('starts one thread, with the first request, and puts slices together in order', async () => {
    const pool = open({ sliceSize: 3 });
    expect(workers).toHaveLength(0);
    const wanted = [[5, 3, 9, 1, 7, 7, 2], [4], [8, 6, 0, 1]];
    const answers = await Promise.all(wanted.map((indexes) => pool.derive(task(indexes))));
    expect(answers.map(indexesOf)).toEqual(wanted);
    expect(workers).toHaveLength(1);
  });

  it('lets a short request through between the slices of a long one', async () => {
    const pool = open({ sliceSize: 2 });
    const order: string[] = [];
    const long = pool.derive(task([1, 2, 3, 4, 5, 6], 5)).then(() => order.push('long'));
    const short = pool.derive(task([9], 5)).then(() => order.push('short'));
    await Promise.all([long, short]);
    expect(order).toEqual(['short', 'long']);
  });

  it('starts the thread again when it dies, and computes what was under way once more', async () => {
    const pool = open();
    await pool.derive(task([1]));
    const pending = pool.derive(task([2], 200));
    await workers[0]!.terminate();
    expect(indexesOf(await pending)).toEqual([2]);
    expect(workers).toHaveLength(2);
  });

  it('gives up a request that ends the thread twice, and goes on with the others', async () => {
    const pool = open();
    const [bad, good] = await Promise.allSettled([pool.derive(task([666])), pool.derive(task([1]))]);
    expect(bad).toMatchObject({ status: 'rejected', reason: expect.any(DerivationUnavailableError) });
    expect(good).toMatchObject({ status: 'fulfilled' });
    expect(workers).toHaveLength(3);
  });

  it('ends a thread that hangs', async () => {
    const pool = open({ sliceTimeoutMs: 1_500 });
    await expect(pool.derive(task([999]))).rejects.toMatchObject({
      code: 'derivation_unavailable',
      retryable: true,
    });
    expect(indexesOf(await pool.derive(task([3])))).toEqual([3]);
  });

  it('says so when no thread can be had, each time it is asked', async () => {
    const pool = open({
      startWorker: () => {
        throw new Error('no threads left');
      },
    });
    for (const indexes of [[1], [2]])
      await expect(pool.derive(task(indexes))).rejects.toMatchObject({
        code: 'derivation_unavailable',
        cause: new Error('no threads left'),
      });
  });

  it('refuses more than it may hold', async () => {
    const pool = open({ jobsMax: 2 });
    const first = [pool.derive(task([1], 20)), pool.derive(task([2], 20))];
    await expect(pool.derive(task([3]))).rejects.toMatchObject({
      code: 'derivation_unavailable',
      message: 'expected at most 2 derivations at once, got one more',
    });
    await Promise.all(first);
    expect(indexesOf(await pool.derive(task([3])))).toEqual([3]);
  });

  it('passes a fault on and stays', async () => {
    const pool = open();
    await expect(pool.derive(task([13]))).rejects.toThrow('no such child');
    await pool.derive(task([1]));
    expect(workers).toHaveLength(1);
  });

  it('forgets an aborted request, waiting or under way', async () => {
    const sent: (readonly number[])[] = [];
    const startWorker = (): Worker => {
      const worker = new Worker(script, { eval: true });
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (message: DerivationTask) => (sent.push(message.indexes), post(message));
      return workers[workers.push(worker) - 1]!;
    };
    const pool = open({ sliceSize: 1, startWorker });
    const under = new AbortController();
    const waiting = new AbortController();
    const first = pool.derive(task([1, 2, 3], 50), under.signal);
    const second = pool.derive(task([4], 50), waiting.signal);
    const third = pool.derive(task([5], 1));
    under.abort(new Error('gone'));
    waiting.abort();
    await expect(first).rejects.toThrow('gone');
    await expect(second).rejects.toMatchObject({ name: 'AbortError' });
    expect(indexesOf(await third)).toEqual([5]);
    expect(sent).toEqual([[1], [5]]);
    await expect(pool.derive(task([6]), AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
  });

  it('ends the thread when nothing is asked of it for a while', async () => {
    const pool = open({ idleMs: 30 });
    await pool.derive(task([1]));
    await new Promise((resolve) => workers[0]!.once('exit', resolve));
    expect(indexesOf(await pool.derive(task([2])))).toEqual([2]);
    expect(workers).toHaveLength(2);
  });
});

function task(indexes: number[], delayMs = 0): DerivationTask {
  return {
    extendedPublicKey: 'xpub',
    change: delayMs,
    indexes,
    format: 'p2pkh',
    network: networks.bitcoin,
  };
}
