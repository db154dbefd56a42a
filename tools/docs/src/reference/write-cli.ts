// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import { readConfig } from '../../../../apps/cli/src/config.ts';
import { createProgram } from '../../../../apps/cli/src/run-cli.ts';
import { fence } from '../markdown.ts';
import type { Page } from '../page.ts';

/** Every command as its --help shows it. */
export function writeCli(): Page {
  const text = [
    '# CLI',
    'What `chainwatch <command> --help` shows. [The guide](/guides/cli) says whose key is used, and what exit codes mean.',
    fence('txt', helpOf(readProgram())),
    ...listCommands(readProgram()).map((command) =>
      [`## ${nameOf(command)}`, `${command.description()}.`, fence('txt', helpOf(command))].join('\n\n'),
    ),
  ].join('\n\n');
  return { path: 'reference/cli.md', text };
}

export function readProgram(): Command {
  return createProgram({
    config: readConfig({}, false),
    signal: new AbortController().signal,
    isJson: false,
  });
}

/** Those that do something, in their order. */
export function listCommands(command: Command): Command[] {
  return command.commands.flatMap((below) => (below.commands.length > 0 ? listCommands(below) : [below]));
}

export function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 100 });
  command.outputHelp();
  return help;
}
