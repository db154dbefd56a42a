import { writeFileSync } from 'node:fs';

/**
 * Ends a Jest run with the plain line `N passed, N failed`. Where RESULTS_FILE is set it writes the counts of each file
 * there instead: whoever set it has more to add up.
 */
export default class SummaryReporter {
  /** @param {unknown} _contexts @param {{ testResults: readonly { testFilePath: string, numPassingTests: number, numFailingTests: number, testExecError?: unknown, failureMessage?: string | null }[] }} results */
  onRunComplete(_contexts, results) {
    const files = results.testResults.map((file) => ({
      path: file.testFilePath,
      passed: file.numPassingTests,
      // A file that does not load has no tests, it is one failure all the same.
      failed: file.testExecError ? Math.max(1, file.numFailingTests) : file.numFailingTests,
      message: file.failureMessage ?? '',
    }));
    if (process.env.RESULTS_FILE) {
      writeFileSync(process.env.RESULTS_FILE, JSON.stringify(files));
      return;
    }
    const sum = (/** @type {'passed' | 'failed'} */ key) =>
      files.reduce((count, file) => count + file[key], 0);
    process.stderr.write(`${sum('passed')} passed, ${sum('failed')} failed\n`);
  }
}
