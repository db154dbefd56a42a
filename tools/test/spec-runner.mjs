// SPDX-License-Identifier: Apache-2.0
import { createEmptyTestResult } from '@jest/test-result';
import Tinypool from 'tinypool';

/** @typedef {{ path: string, context: { config: object } }} Test */

/** Runs a spec file in bare Node.js: what jest-light-runner starts in its processes. */
const WORKER = new URL('worker-runner.js', import.meta.resolve('jest-light-runner/child-process'));
/** How that module asks for the configuration, and is answered. */
const ASKED = 'jest-light-runner-get-worker-data';
const ANSWER = 'jest-light-runner-worker-data';

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
 * Runs spec files in `maxWorkers` processes, which end with the run whatever a failed spec left open. The runner of
 * jest-light-runner 0.8.2 answers all its processes when the first one asks for its configuration, and one that does not
 * listen yet waits for ever: here each run has a channel of its own.
 *
 * Begins no spec file after TEST_UNTIL (Unix seconds): a machine that is five times slower would be cut off with nothing to
 * show. Such a file is a result that was skipped, and `npm test` names it.
 */
export default class SpecRunner {
  #globalConfig;

  /** @param {{ maxWorkers: number }} globalConfig */
  constructor(globalConfig) {
    this.#globalConfig = globalConfig;
  }

  /**
   * @param {readonly Test[]} tests
   * @param {unknown} _watcher
   * @param {(test: Test) => Promise<void>} onStart
   * @param {(test: Test, result: import('@jest/test-result').TestResult) => Promise<void>} onResult
   * @param {(test: Test, error: unknown) => Promise<void>} onFailure
   */
  async runTests(tests, _watcher, onStart, onResult, onFailure) {
    const until = Number(process.env.TEST_UNTIL || Infinity) * 1_000;
    const maxThreads = Math.min(this.#globalConfig.maxWorkers, tests.length);
    const pool = new Tinypool({
      filename: WORKER.href,
      runtime: 'child_process',
      minThreads: maxThreads,
      maxThreads,
      env: /** @type {Record<string, string>} */ (process.env),
      trackUnmanagedFds: false,
    });
    const left = [...tests];
    const work = async () => {
      for (let test = left.shift(); test !== undefined; test = left.shift())
        try {
          await onStart(test);
          await onResult(test, Date.now() > until ? skip(test) : await this.#run(pool, test));
        } catch (error) {
          await onFailure(test, error);
        }
    };
    try {
      await Promise.all(Array.from({ length: maxThreads }, work));
    } finally {
      await pool.destroy();
    }
  }

  /**
   * @param {Tinypool} pool
   * @param {Test} test
   * @returns {Promise<import('@jest/test-result').TestResult>}
   */
  #run(pool, { path, context }) {
    const workerData = {
      globalConfig: this.#globalConfig,
      projectConfig: context.config,
      runtime: 'child_process',
    };
    /** @type {(message: unknown) => void} */
    let answer = () => {};
    const channel = {
      onMessage: (/** @type {(message: unknown) => void} */ listener) => {
        answer = listener;
      },
      postMessage: (/** @type {unknown} */ message) => {
        if (message === ASKED) answer({ type: ANSWER, workerData });
      },
    };
    return pool.run(path, { channel });
  }
}

/** @param {Test} test @returns {import('@jest/test-result').TestResult} */
function skip({ path }) {
  return {
    ...createEmptyTestResult(),
    skipped: true,
    numPendingTests: 1,
    testFilePath: path,
    testResults: [NOT_BEGUN],
  };
}
