// SPDX-License-Identifier: Apache-2.0
/** Something the machine lacks. The message is one sentence that says what to do; it is printed without a stack. */
export class SetupError extends Error {
  /** @param {string} message @param {string} [detail] output of the tool that failed, printed above the sentence */
  constructor(message, detail) {
    super(message);
    this.name = 'SetupError';
    this.detail = detail;
    this.exitCode = 1;
  }
}

/** A wrong argument of a script: exit code 2, as everywhere. */
export class UsageError extends SetupError {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.exitCode = 2;
  }
}

/** Prints an error the way a person wants it, and leaves with exit code 1, or 2 after a UsageError. @param {unknown} error @returns {never} */
export function exitWith(error) {
  // By name: the class exists once more inside the bundle.
  if (error instanceof Error && error.name === 'SetupError') {
    const { detail, message, exitCode } = /** @type {SetupError} */ (error);
    if (detail) process.stderr.write(`${detail.trimEnd()}\n`);
    process.stderr.write(`\n${message}\n`);
    process.exit(exitCode);
  }
  console.error(error);
  process.exit(1);
}
