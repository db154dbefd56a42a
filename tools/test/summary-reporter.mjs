// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';

/** @typedef {{ testFilePath: string, skipped?: boolean, numPassingTests: number, numFailingTests: number, testExecError?: unknown, failureMessage?: string | null, testResults: readonly { status: string, failureMessages: readonly string[] }[] }} TestFile */

/**
 * Ends a Jest run with the plain line `N passed, N failed`. Where RESULTS_FILE is set it writes the counts of each file
 * there instead: whoever set it has more to add up.
 */
export default class SummaryReporter {
  /** @param {unknown} _contexts @param {{ testResults: readonly TestFile[] }} results */
  onRunComplete(_contexts, results) {
    const files = results.testResults.map((file) => ({
      path: file.testFilePath,
      passed: file.numPassingTests,
      // A file that does not load has no tests, it is one failure all the same.
      failed: file.testExecError ? Math.max(1, file.numFailingTests) : file.numFailingTests,
      isSkipped: file.skipped === true,
      message: file.failureMessage ?? '',
      failures: nameFailures(file),
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

/** A line for each test and hook that failed: its file, its name, how its error begins and ends. @param {TestFile} file */
function nameFailures({ testFilePath, testResults, testExecError, failureMessage }) {
  const path = relative(repoDir, testFilePath);
  const messages = testResults
    .filter(({ status }) => status === 'failed')
    .map(({ failureMessages }) => failureMessages.join('\n'));
  if (messages.length === 0 && testExecError) messages.push(failureMessage ?? '');
  return messages.map((message) => {
    const [head = ''] = stripVTControlCharacters(message).split(/\n\s+at /);
    const text = head.replace(/\s+/g, ' ').trim();
    // What a server wrote last says why it ended.
    const shown = text.length > 1_500 ? `${text.slice(0, 700)} … ${text.slice(-800)}` : text;
    return `  ${path}: ${shown}`;
  });
}
