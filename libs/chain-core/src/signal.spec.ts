import { getEventListeners } from 'node:events';
import { Signal } from './signal.ts';

const LONG_MS = 600_000;

describe('Signal', () => {
  it('ends a sleep with the news, and by time without', async () => {
    const wake = new Signal();
    const sleeping = wake.wait(LONG_MS);
    wake.notify();
    await sleeping;
    await wake.wait(1);
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
