// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import type { Chainwatch } from '@chainwatch/sdk';
import type { Act, Context } from './context.ts';
import { countOf } from './parse-options.ts';
import { showExamples } from './show-examples.ts';

/** Flags or the name of an argument, its text in the help, and its check. */
export type Input = readonly [flags: string, description: string, parse?: (text: string) => unknown];

/** Finds the key. What a person typed is checked before, so that wrong input is the first error. */
export type Client = () => Chainwatch;

/** A command over operations of the API. */
interface ResourceCommand<Options extends object = object> {
  readonly name: string;
  readonly description: string;
  readonly notes?: string;
  readonly examples: string;
  readonly args?: readonly Input[];
  readonly options?: readonly Input[];
  readonly requiredOptions?: readonly Input[];
  /**
   * Sends the request. Wrong input that no single value shows is thrown before: nothing is sent then. A list is read page by
   * page, as far as `--limit` says.
   */
  call(api: Client, args: readonly string[], options: Options): Answer;
  /** Columns of a list. A command without them answers one record. */
  readonly columns?: readonly string[];
  /** A record as a person reads it. Default: its JSON. */
  say?(answer: unknown, args: readonly string[]): string;
}

type Answer = PromiseLike<unknown> | AsyncIterable<object>;

/** Commands about one thing. */
export interface Resource {
  readonly name: string;
  readonly description: string;
  /** Default: a key of a project. */
  readonly key?: 'api' | 'management';
  readonly commands: readonly ResourceCommand[];
}

const ROWS = 20;
const ROWS_MAX = 100_000;
const PAGE_ROWS = 100;

/** Types of options are erased here and nowhere else: commander gives what the inputs parse. */
export function defineCommand<Options extends object>(command: ResourceCommand<Options>): ResourceCommand {
  return command as ResourceCommand;
}

export function addResource(program: Command, act: Act, { key, commands, ...resource }: Resource): void {
  const group = program.command(resource.name).description(resource.description);
  for (const one of commands) {
    const command = group.command(one.name).description(one.description);
    for (const [name, description, parse] of one.args ?? [])
      if (parse === undefined) command.argument(name, description);
      else command.argument(name, description, parse);
    for (const [flags, description, parse] of one.requiredOptions ?? [])
      command.requiredOption(flags, description, parse ?? String);
    for (const [flags, description, parse] of one.options ?? [])
      if (parse === undefined) command.option(flags, description);
      else command.option(flags, description, parse);
    if (one.columns !== undefined) command.option('--limit <n>', 'rows', countOf(1, ROWS_MAX), ROWS);
    command
      .addHelpText('after', showExamples({ notes: one.notes, examples: one.examples }))
      .action(act((context: Context, ...given: unknown[]) => run(context, { key, one, given })));
  }
}

interface Run {
  readonly key: Resource['key'];
  readonly one: ResourceCommand;
  /** Arguments, then the options. */
  readonly given: readonly unknown[];
}

async function run({ client, output }: Context, { key, one, given }: Run): Promise<void> {
  const api: Client = () => client(key);
  const args = given.slice(0, -1) as string[];
  const { limit = ROWS, ...options } = given.at(-1) as { readonly limit?: number };
  if (one.columns === undefined) {
    const answer = await (one.call(api, args, options) as PromiseLike<unknown>);
    const value = answer ?? { id: args.at(-1), done: true };
    output.print(value, one.say?.(value, args) ?? JSON.stringify(value, undefined, 2));
    return;
  }
  const query = { ...options, limit: Math.min(limit, PAGE_ROWS) };
  const rows: Record<string, unknown>[] = [];
  for await (const row of one.call(api, args, query) as AsyncIterable<Record<string, unknown>>) {
    rows.push(row);
    if (rows.length >= limit) break;
  }
  output.table(rows, one.columns);
}
