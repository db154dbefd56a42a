// SPDX-License-Identifier: Apache-2.0
import { CommanderError } from 'commander';
import { ChainwatchError, ConnectionError, ProblemError } from '@chainwatch/sdk';
import { CliError, EXIT, type ErrorField } from './cli-error.ts';

/** An error as `--json` prints it; docs/guides/cli.md describes each member. */
export interface ErrorDocument {
  readonly code: string;
  readonly message: string;
  readonly exit_code: number;
  readonly fields: readonly ErrorField[];
  /** Of an answer of the API. */
  readonly status?: number;
  readonly request_id?: string;
}

/** What a person can act on. Only a fault of ours has a stack, and only for people. */
export function describeError(error: unknown): { readonly document: ErrorDocument; readonly stack?: string } {
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
