import { channelOfOne } from '../spec-runner.mjs';

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
