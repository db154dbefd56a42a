// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { networks } from 'bitcoinjs-lib';
import { DerivationUnavailableError } from '@chainwatch/chain-core';
import { waitFor } from '@chainwatch/testing';
import { DerivationPool, type DerivationPoolOptions } from './derive-addresses.ts';
import type { DerivationTask } from './derivation-task.ts';

/**
 * Echoes indexes as addresses after `change` milliseconds, with the thread's number. Index 666 ends the thread, 667 the
 * first one alone, 998 exits, 13 is a fault, 999 hangs.
 */
const script = `
  import { threadId } from 'node:worker_threads';
  import { existsSync, writeFileSync } from 'node:fs';
  const die = () => new Promise(() => setImmediate(() => { throw new Error('out of memory'); }));
  export default async ({ change, indexes, extendedPublicKey }) => {
    if (indexes.includes(666)) return die();
    if (indexes.includes(667) && !existsSync(extendedPublicKey)) return (writeFileSync(extendedPublicKey, ''), die());
    if (indexes.includes(999)) for (;;) {}
    if (indexes.includes(998)) process.exit(3);
    await new Promise((resolve) => setTimeout(resolve, change));
    return indexes.includes(13) ? { fault: 'no such child' } : { addresses: indexes.map((index) => threadId + ':' + index) };
  };`;

const folder = mkdtempSync(join(tmpdir(), 'chainwatch-derivation-'));
const filename = join(folder, 'echo.mjs');
writeFileSync(filename, script);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = (options: Partial<DerivationPoolOptions> = {}): DerivationPool =>
  new DerivationPool({ filename, threads: 1, ...options });
const partsOf = (addresses: readonly string[], part: 0 | 1): number[] =>
  addresses.map((address) => Number(address.split(':')[part]));
const indexesOf = (addresses: readonly string[]): number[] => partsOf(addresses, 1);
const threadOf = (addresses: readonly string[]): number => partsOf(addresses, 0)[0]!;

describe('DerivationPool', () => {
  it('puts slices together in order, in one thread that stays', async () => {
    const pool = open({ sliceSize: 3 });
    const wanted = [[5, 3, 9, 1, 7, 7, 2], [4], [8, 6, 0, 1]];
    const answers = await Promise.all(wanted.map((indexes) => pool.derive(task(indexes))));
    expect(answers.map(indexesOf)).toEqual(wanted);
    expect(new Set(answers.flatMap((answer) => partsOf(answer, 0))).size).toBe(1);
  });

  it('starts a thread before the first request, which answers it and stays', async () => {
    const pool = open({ idleMs: 1 });
    pool.start();
    const started = threadOf(await pool.derive(task([1])));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(threadOf(await pool.derive(task([2])))).toBe(started);
  });

  it('does not start a thread again and again that cannot start', async () => {
    const broken = join(folder, 'broken.mjs');
    writeFileSync(broken, `throw new Error('no such library')`);
    const pool = open({ filename: broken });
    pool.start();
    await expect(pool.derive(task([1]))).rejects.toThrow(DerivationUnavailableError);
  });

  it('has two threads where two requests are under way', async () => {
    const pool = open({ threads: 2 });
    const answers = await Promise.all([pool.derive(task([1], 300)), pool.derive(task([2], 300))]);
    expect(threadOf(answers[0])).not.toBe(threadOf(answers[1]));
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
    const extendedPublicKey = join(folder, 'died');
    const pool = open();
    const before = threadOf(await pool.derive(task([1])));
    const answer = await pool.derive({ ...task([667]), extendedPublicKey });
    expect(indexesOf(answer)).toEqual([667]);
    expect(threadOf(answer)).not.toBe(before);
  });

  it('gives up a request that ends the thread twice, and goes on with the others', async () => {
    const pool = open();
    const [bad, good] = await Promise.allSettled([pool.derive(task([666])), pool.derive(task([1]))]);
    expect(bad).toMatchObject({ status: 'rejected', reason: expect.any(DerivationUnavailableError) });
    expect(good).toMatchObject({ status: 'fulfilled' });
  });

  it('ends a thread that hangs', async () => {
    const pool = open({ sliceTimeoutMs: 1_500 });
    await expect(pool.derive(task([999]))).rejects.toMatchObject({
      code: 'derivation_unavailable',
      retryable: true,
    });
    expect(indexesOf(await pool.derive(task([3])))).toEqual([3]);
  });

  it('starts other threads where those it has hang while they start', async () => {
    const late = join(folder, 'late.mjs');
    writeFileSync(late, 'await new Promise(() => setInterval(() => {}, 1_000));');
    const pool = open({ filename: late, threads: 2, sliceTimeoutMs: 1_500 });
    await expect(Promise.all([pool.derive(task([1])), pool.derive(task([2]))])).rejects.toThrow(
      'took too long',
    );
    writeFileSync(late, script);
    expect(indexesOf(await pool.derive(task([3])))).toEqual([3]);
  });

  it('goes on where a thread ends itself', async () => {
    const pool = open({ sliceTimeoutMs: 1_500 });
    await expect(pool.derive(task([998]))).rejects.toBeInstanceOf(DerivationUnavailableError);
    expect(indexesOf(await pool.derive(task([3])))).toEqual([3]);
  });

  it('says so when no thread can be had, each time it is asked', async () => {
    const pool = open({ filename: join(folder, 'nowhere.mjs') });
    for (const indexes of [[1], [2]])
      await expect(pool.derive(task(indexes))).rejects.toMatchObject({
        code: 'derivation_unavailable',
        cause: expect.objectContaining({ code: 'ERR_MODULE_NOT_FOUND' }),
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
    const before = threadOf(await pool.derive(task([1])));
    await expect(pool.derive(task([13]))).rejects.toThrow('no such child');
    expect(threadOf(await pool.derive(task([1])))).toBe(before);
  });

  it('computes no further slice of an aborted request', async () => {
    const pool = open({ sliceSize: 1 });
    const controller = new AbortController();
    const first = pool.derive(
      task(
        Array.from({ length: 100 }, (_, index) => index),
        20,
      ),
      controller.signal,
    );
    controller.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await expect(pool.derive(task([6]), AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
  });

  it('ends the thread when nothing is asked of it for a while', async () => {
    const pool = open({ idleMs: 30 });
    const before = threadOf(await pool.derive(task([1])));
    await waitFor(async () => threadOf(await pool.derive(task([2]))) !== before, { intervalMs: 200 });
  });
});

function task(indexes: number[], delayMs = 0): DerivationTask {
  return {
    extendedPublicKey: 'xpub',
    keyVersion: 0,
    change: delayMs,
    indexes,
    format: 'p2pkh',
    network: networks.bitcoin,
  };
}
