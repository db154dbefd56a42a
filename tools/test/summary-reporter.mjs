import { writeFileSync } from 'node:fs';

/**
 * Ends a Jest run with the plain line `N passed, N failed`. Under `npm test` (SUMMARY_FILE set) it writes the counts to
 * that file instead, because the static checks are counted as well and the line stands last.
 */
export default class SummaryReporter {
  onRunComplete(_contexts, results) {
    // A file that does not load has no tests, it is one failure all the same.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const passed = results.numPassedTests;
    if (process.env.SUMMARY_FILE) {
      writeFileSync(process.env.SUMMARY_FILE, JSON.stringify({ passed, failed }));
    } else {
      process.stderr.write(`${passed} passed, ${failed} failed\n`);
    }
  }
}
