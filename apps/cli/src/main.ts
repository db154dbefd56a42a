/** `chainwatch`: see README.md. */
import { CommanderError } from 'commander';
import { ChainwatchError, ConnectionError, ProblemError } from '@chainwatch/sdk';
import { CliError, EXIT } from './cli-error.ts';
import { readConfig } from './config.ts';
import { createProgram } from './create-program.ts';

const abort = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    abort.abort();
    // What does not look at the signal ends with the second one.
    process.once(name, () => process.exit(EXIT.interrupted));
  });
// A reader that has seen enough (head).
process.stdout.on('error', () => process.exit(EXIT.done));

try {
  const config = readConfig(process.env, process.stdout.isTTY === true);
  await createProgram({ config, signal: abort.signal }).parseAsync(process.argv);
} catch (error) {
  process.exitCode = exitCodeOf(error);
  if (!(error instanceof CommanderError)) process.stderr.write(`${messageOf(error)}\n`);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof ProblemError && error.status === 401) return EXIT.notLoggedIn;
  return EXIT.failed;
}

/** What a person can act on; the stack of a fault of ours. */
function messageOf(error: unknown): string {
  if (error instanceof ConnectionError && error.cause instanceof Error) {
    const { message, cause } = error.cause;
    return `${error.message}: ${cause instanceof Error ? cause.message : message}`;
  }
  if (error instanceof ProblemError && error.requestId !== undefined)
    return `${error.message} (request ${error.requestId})`;
  if (error instanceof CliError || error instanceof ChainwatchError) return error.message;
  const { code, message, stack } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'EACCES' ? message : String(stack ?? message);
}
