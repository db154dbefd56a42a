/** Something the machine lacks. The message is one sentence that says what to do; it is printed without a stack. */
export class SetupError extends Error {
  /** @param {string} message @param {string} [detail] output of the tool that failed, printed above the sentence */
  constructor(message, detail) {
    super(message);
    this.name = 'SetupError';
    this.detail = detail;
  }
}

/** Prints an error the way a person wants it, and leaves with exit code 1. @param {unknown} error */
export function exitWith(error) {
  // By name: the class exists once more inside the bundle.
  if (error instanceof Error && error.name === 'SetupError') {
    const { detail, message } = /** @type {SetupError} */ (error);
    if (detail) process.stderr.write(`${detail.trimEnd()}\n`);
    process.stderr.write(`\n${message}\n`);
  } else {
    console.error(error);
  }
  process.exit(1);
}
