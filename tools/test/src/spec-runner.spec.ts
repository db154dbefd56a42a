import SpecRunner, { channelOfOne } from '../spec-runner.mjs';

/** As in jest-light-runner: whoever listens is answered when anyone asks, once. */
function sharedChannel() {
  const listeners = new Set<(message: unknown) => void>();
  return {
    onMessage: (listener: (message: unknown) => void) => void listeners.add(listener),
    postMessage: () => {
      for (const listener of listeners) listener('configuration');
      listeners.clear();
    },
  };
}

it('answers the worker that asks, and another one when it asks', () => {
  const shared = sharedChannel();
  const told: string[] = [];
  const workers = ['one', 'two'].map((name) => {
    const channel = channelOfOne(shared);
    channel.onMessage(() => told.push(name));
    return channel;
  });
  workers[1]!.postMessage('ask');
  expect(told).toEqual(['two']);
  workers[0]!.postMessage('ask');
  expect(told).toEqual(['two', 'one']);
});

describe('TEST_UNTIL', () => {
  const before = process.env.TEST_UNTIL;
  afterEach(() => {
    if (before === undefined) delete process.env.TEST_UNTIL;
    else process.env.TEST_UNTIL = before;
  });

  it('begins no spec after it, and tells each as skipped', async () => {
    process.env.TEST_UNTIL = '1';
    const results: unknown[] = [];
    const failures: unknown[] = [];
    const Runner = SpecRunner as unknown as new (...args: readonly unknown[]) => SpecRunner;
    const runner = new Runner({ maxWorkers: 2 }, {}, {});
    await runner.runTests(
      [{ path: 'one.spec.ts' }, { path: 'two.spec.ts' }],
      undefined,
      async () => {},
      async (_test, { skipped, testFilePath }) => void results.push({ skipped, testFilePath }),
      async (_test, error) => void failures.push(error),
    );
    expect(failures).toEqual([]);
    expect(results).toEqual([
      { skipped: true, testFilePath: 'one.spec.ts' },
      { skipped: true, testFilePath: 'two.spec.ts' },
    ]);
  });
});
