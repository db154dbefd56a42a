// SPDX-License-Identifier: Apache-2.0
import { getEventListeners } from 'node:events';
import { Signal } from './signal.ts';

const LONG_MS = 600_000;

/** After all that may happen without time. */
async function stateOf(sleeping: Promise<string>): Promise<string> {
  const turn = new Promise<string>((resolve) => setImmediate(resolve, 'asleep'));
  return Promise.race([sleeping, turn]);
}

describe('Signal', () => {
  it('ends a sleep with the news, and by time without', async () => {
    const wake = new Signal();
    const sleeping = wake.wait(LONG_MS).then(() => 'awake');
    expect(await stateOf(sleeping)).toBe('asleep');
    wake.notify();
    expect(await stateOf(sleeping)).toBe('awake');
    const startedAt = performance.now();
    await wake.wait(20);
    expect(performance.now() - startedAt).toBeGreaterThan(15);
  });

  it('counts news that come between two sleeps for the next one, once', async () => {
    const wake = new Signal();
    wake.notify();
    wake.notify();
    await wake.wait(LONG_MS);
    let isAwake = false;
    const sleeping = wake.wait(LONG_MS).then(() => (isAwake = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAwake).toBe(false);
    wake.notify();
    await sleeping;
  });

  it('ends with its signal, does not begin behind it, and leaves no listener', async () => {
    const wake = new Signal();
    const stop = new AbortController();
    for (let count = 0; count < 20; count += 1) {
      wake.notify();
      await wake.wait(LONG_MS, stop.signal);
    }
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
    const sleeping = wake.wait(LONG_MS, stop.signal);
    stop.abort();
    await sleeping;
    await wake.wait(LONG_MS, stop.signal);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  });
});
