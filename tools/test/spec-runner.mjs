// SPDX-License-Identifier: Apache-2.0
import { createEmptyTestResult } from '@jest/test-result';
// @ts-expect-error It has no types.
import LightRunner from 'jest-light-runner/child-process';
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

/** @typedef {{ path: string }} Test */

/**
 * What stands for a spec file that was not begun: to Jest, a file without any test is a failure.
 * @type {import('@jest/test-result').AssertionResult}
 */
const NOT_BEGUN = {
  ancestorTitles: [],
  failureDetails: [],
  failureMessages: [],
  fullName: 'not begun: TEST_UNTIL is past',
  numPassingAsserts: 0,
  status: 'pending',
  title: 'not begun: TEST_UNTIL is past',
};

/**
 * Begins no spec file after TEST_UNTIL (Unix seconds): a machine that is five times slower would be cut off with nothing to
 * show. Such a file is a result that was skipped, and `npm test` names it.
 */
export default class SpecRunner extends LightRunner {
  /**
   * @param {readonly Test[]} tests
   * @param {unknown} watcher
   * @param {(test: Test) => Promise<void>} onStart
   * @param {(test: Test, result: import('@jest/test-result').TestResult) => Promise<void>} onResult
   * @param {(test: Test, error: unknown) => Promise<void>} onFailure
   */
  runTests(tests, watcher, onStart, onResult, onFailure) {
    const until = Number(process.env.TEST_UNTIL || Infinity) * 1_000;
    const late = new Error('TEST_UNTIL is past');
    return super.runTests(
      tests,
      watcher,
      async (/** @type {Test} */ test) => {
        await onStart(test);
        if (Date.now() > until) throw late;
      },
      onResult,
      (/** @type {Test} */ test, /** @type {unknown} */ error) =>
        error === late
          ? onResult(test, {
              ...createEmptyTestResult(),
              skipped: true,
              numPendingTests: 1,
              testFilePath: test.path,
              testResults: [NOT_BEGUN],
            })
          : onFailure(test, error),
    );
  }
}
