// @ts-expect-error It has no types.
import SpecRunner from 'jest-light-runner/child-process';
import Tinypool from 'tinypool';

const { run } = Tinypool.prototype;

/**
 * jest-light-runner 0.8.2 answers all workers when the first one asks for its configuration: one that does not listen yet
 * waits for ever. With a channel of its own for each run, a worker is answered when it asks.
 */
Tinypool.prototype.run = function (
  /** @type {string} */ path,
  /** @type {Parameters<typeof run>[1]} */ options,
) {
  return run.call(this, path, { ...options, channel: channelOfOne(options?.channel) });
};

/** @param {import('tinypool').TinypoolChannel | undefined} shared */
export function channelOfOne(shared) {
  /** @type {(message: unknown) => void} */
  let answer = () => {};
  return {
    onMessage: (/** @type {(message: unknown) => void} */ listener) => {
      answer = listener;
    },
    postMessage: (/** @type {unknown} */ message) => {
      shared?.onMessage?.(answer);
      shared?.postMessage?.(message);
    },
  };
}

export default SpecRunner;
