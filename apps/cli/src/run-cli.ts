// SPDX-License-Identifier: Apache-2.0
import { Command, CommanderError } from 'commander';
import { ChainwatchError, ConnectionError, ProblemError } from '@chainwatch/sdk';
import { CliError, EXIT, type ErrorField } from './cli-error.ts';
import { addAddresses } from './commands/addresses.ts';
import { addBalances } from './commands/balances.ts';
import { addBenchNode } from './commands/bench-node.ts';
import { addCertify } from './commands/certify.ts';
import { addChains } from './commands/chains.ts';
import { addChannels } from './commands/channels.ts';
import { addCompletion } from './commands/completion.ts';
import { addDeliveries } from './commands/deliveries.ts';
import { addDoctor } from './commands/doctor.ts';
import { addEvents } from './commands/events.ts';
import { addIncidents } from './commands/incidents.ts';
import { addKeys } from './commands/keys.ts';
import { addListen } from './commands/listen.ts';
import { addLogin } from './commands/login.ts';
import { addNats } from './commands/nats.ts';
import { addNetworks } from './commands/networks.ts';
import { addPolicies } from './commands/policies.ts';
import { addPublicKeys } from './commands/public-keys.ts';
import { addStatement } from './commands/statement.ts';
import { addReconcile } from './commands/reconcile.ts';
import { addTokens } from './commands/tokens.ts';
import { addTransactions } from './commands/transactions.ts';
import { addTrigger } from './commands/trigger.ts';
import { addVerify } from './commands/verify.ts';
import { addWorkspace } from './commands/workspace.ts';
import { readConfig } from './config.ts';
import { createAct, type Surroundings } from './context.ts';
import { parseText } from './parse-options.ts';
import packageJson from '../package.json' with { type: 'json' };

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

export function createProgram(surroundings: Surroundings): Command {
  const program = new Command('chainwatch')
    .description('chainwatch from the terminal')
    .version(packageJson.version, '--version', 'the version of this command')
    .option('--json', 'results as JSON, one a line; an error as JSON on stderr')
    .option('--profile <name>', 'whose key to use; else CHAINWATCH_PROFILE', parseText)
    .exitOverride()
    // runCli prints the error as JSON.
    .configureOutput(surroundings.isJson ? { writeErr: () => undefined, outputError: () => undefined } : {})
    .showHelpAfterError('(--help says more)')
    .addHelpText(
      'after',
      `
Keys come from CHAINWATCH_API_KEY, a file named by CHAINWATCH_API_KEY_FILE, a profile (chainwatch login), else from the
local stack that npm start made; never from the command line.

Exit codes: 0 done · 1 the API refused or did not answer · 2 wrong usage · 3 no key · 4 looked at, and not right

Examples:
  chainwatch listen --forward-to http://localhost:3000/hook
  chainwatch trigger transaction.detected
  chainwatch doctor`,
    );
  const act = createAct(surroundings);
  for (const add of [
    addLogin,
    addListen,
    addTrigger,
    addVerify,
    addCertify,
    addEvents,
    addChannels,
    addDeliveries,
    addTransactions,
    addAddresses,
    addPublicKeys,
    addTokens,
    addBalances,
    addReconcile,
    addChains,
    addNetworks,
    addPolicies,
    addIncidents,
    addStatement,
    addWorkspace,
    addKeys,
    addNats,
    addDoctor,
    addBenchNode,
    addCompletion,
  ])
    add(program, act);
  return program;
}

/** An error as `--json` prints it; docs/guides/cli.md describes each member. */
interface ErrorDocument {
  readonly code: string;
  readonly message: string;
  readonly exit_code: number;
  readonly fields: readonly ErrorField[];
  /** Of an answer of the API. */
  readonly status?: number;
  readonly request_id?: string;
}

/** What a person can act on. Only a fault of ours has a stack, and only for people. */
function describeError(error: unknown): { readonly document: ErrorDocument; readonly stack?: string } {
  if (error instanceof CommanderError) return { document: describeUsage(error) };
  if (error instanceof CliError) {
    const { code, message, exitCode: exit_code, fields } = error;
    return { document: { code, message, exit_code, fields } };
  }
  if (error instanceof ProblemError) return { document: describeProblem(error) };
  if (error instanceof ConnectionError) return { document: describeSilence(error) };
  if (error instanceof ChainwatchError) return { document: fail('failed', error.message) };
  const { message, stack, code, syscall } = error as NodeJS.ErrnoException;
  // Of the operating system: a file that is missing, a folder without permission.
  if (code !== undefined && syscall !== undefined) return { document: fail('system-error', message) };
  return { document: fail('internal-error', message), stack };
}

function fail(code: string, message: string): ErrorDocument {
  return { code, message, exit_code: EXIT.failed, fields: [] };
}

function describeUsage({ code, message, exitCode }: CommanderError): ErrorDocument {
  if (exitCode === 0) return { code: 'done', message, exit_code: EXIT.done, fields: [] };
  const reason = code === 'commander.help' ? 'expected a command, got none' : message.replace(/^error: /, '');
  const [, name] =
    /for argument '([^']+)'/.exec(reason) ?? /(?:option|argument|command) '(-*[\w-]+)/.exec(reason) ?? [];
  return {
    code: 'invalid-argument',
    message: reason,
    exit_code: EXIT.usage,
    fields: name === undefined ? [] : [{ name, reason }],
  };
}

function describeProblem({ code, message, status, fields, requestId }: ProblemError): ErrorDocument {
  return {
    // `about:blank` of a proxy names nothing.
    code: code === 'about:blank' ? 'unexpected-answer' : code,
    message: requestId === undefined ? message : `${message} (request ${requestId})`,
    exit_code: status === 401 ? EXIT.notLoggedIn : EXIT.failed,
    fields,
    status,
    request_id: requestId,
  };
}

function describeSilence({ message, cause }: ConnectionError): ErrorDocument {
  if (!(cause instanceof Error)) return fail('no-answer', message);
  const { cause: root } = cause;
  // Several addresses of a host were tried: only their errors have a text.
  const errors = (root as AggregateError | undefined)?.errors as readonly Error[] | undefined;
  const reason = errors?.[0]?.message ?? (root instanceof Error ? root.message : cause.message);
  return fail('no-answer', `${message}: ${reason}`);
}
