// SPDX-License-Identifier: Apache-2.0
import { CommanderError } from 'commander';
import { EXIT } from './cli-error.ts';
import { readConfig } from './config.ts';
import { createProgram } from './create-program.ts';
import { describeError } from './describe-error.ts';

/**
 * One call of the command in this process: it reads `process.env` and `stdin`, writes to `stdout` and `stderr`, and sets
 * `process.exitCode` where it is not 0.
 *
 * @param argv as `process.argv`: Node and the script come first
 * @param abort Ctrl-C; also aborted where the command fails
 */
export async function runCli(argv: readonly string[], abort: AbortController): Promise<void> {
  /** Before the options are parsed: an error of the parser has the same format. */
  const isJson = argv.includes('--json');
  try {
    const config = readConfig(process.env, process.stdout.isTTY === true);
    await createProgram({ config, signal: abort.signal, isJson }).parseAsync(argv);
  } catch (error) {
    // A stream beside the one that failed would keep the process alive.
    abort.abort();
    const { document, stack } = describeError(error);
    process.exitCode = document.exit_code;
    if (document.exit_code === EXIT.done) return;
    if (isJson) process.stderr.write(`${JSON.stringify({ error: document })}\n`);
    // Commander has written its own.
    else if (!(error instanceof CommanderError)) process.stderr.write(`${stack ?? document.message}\n`);
  }
}
