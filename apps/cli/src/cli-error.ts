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

/** One sentence for the person at the terminal. */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.usage) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
  }
}
