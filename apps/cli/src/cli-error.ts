// SPDX-License-Identifier: Apache-2.0
/** What a script can tell apart; docs/guides/cli.md lists them. */
export const EXIT = {
  done: 0,
  /** The API refused, or did not answer. */
  failed: 1,
  usage: 2,
  notLoggedIn: 3,
  /** Something was looked at and is not right: a signature, a chain, a row of a file. */
  notRight: 4,
  interrupted: 130,
} as const;

/** Codes of errors that no API answered; docs/guides/cli.md lists them. */
const CODES: Readonly<Record<number, string>> = {
  [EXIT.failed]: 'failed',
  [EXIT.usage]: 'invalid-argument',
  [EXIT.notLoggedIn]: 'not-logged-in',
  [EXIT.notRight]: 'not-right',
  [EXIT.interrupted]: 'interrupted',
};

export interface ErrorField {
  /** An option, an argument, a variable, or a member of a request. */
  readonly name: string;
  readonly reason: string;
}

/** One sentence for the person at the terminal. */
export class CliError extends Error {
  readonly exitCode: number;
  readonly code: string;
  readonly fields: readonly ErrorField[];

  constructor(message: string, exitCode: number = EXIT.usage, fields: readonly ErrorField[] = []) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
    this.code = CODES[exitCode] ?? 'failed';
    this.fields = fields;
  }
}

/** Wrong input. `name` is what the person typed: `--url`, `<file>`, `CHAINWATCH_API_URL`. */
export function wrongInput(name: string, reason: string): CliError {
  return new CliError(`${name}: ${reason}`, EXIT.usage, [{ name, reason }]);
}
