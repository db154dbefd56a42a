// SPDX-License-Identifier: Apache-2.0
/** `chainwatch`: see README.md. */
import { EXIT } from './cli-error.ts';
import { runCli } from './run-cli.ts';

const abort = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    abort.abort();
    // What does not look at the signal ends with the second one.
    process.once(name, () => process.exit(EXIT.interrupted));
  });
// A reader that has seen enough (head).
process.stdout.on('error', () => process.exit(EXIT.done));
await runCli(process.argv, abort);
