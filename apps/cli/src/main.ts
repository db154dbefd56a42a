// SPDX-License-Identifier: Apache-2.0
/** `chainwatch`: see README.md. */
import { CommanderError } from 'commander';
import { EXIT } from './cli-error.ts';
import { readConfig } from './config.ts';
import { createProgram } from './create-program.ts';
import { describeError } from './describe-error.ts';

const abort = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    abort.abort();
    // What does not look at the signal ends with the second one.
    process.once(name, () => process.exit(EXIT.interrupted));
  });
// A reader that has seen enough (head).
process.stdout.on('error', () => process.exit(EXIT.done));

/** Before the options are parsed: an error of the parser has the same format. */
const isJson = process.argv.includes('--json');
try {
  const config = readConfig(process.env, process.stdout.isTTY === true);
  await createProgram({ config, signal: abort.signal, isJson }).parseAsync(process.argv);
} catch (error) {
  // A stream beside the one that failed would keep the process alive.
  abort.abort();
  const { document, stack } = describeError(error);
  process.exitCode = document.exit_code;
  if (document.exit_code !== EXIT.done) {
    if (isJson) process.stderr.write(`${JSON.stringify({ error: document })}\n`);
    // Commander has written its own.
    else if (!(error instanceof CommanderError)) process.stderr.write(`${stack ?? document.message}\n`);
  }
}
