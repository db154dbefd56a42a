// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import { readConfig } from './config.ts';
import { createProgram } from './run-cli.ts';

const program = createProgram({
  config: readConfig({}, false),
  signal: new AbortController().signal,
  isJson: false,
});

/** Those that do something: a group of commands only names them. */
function listLeaves(command: Command, path: readonly string[] = []): [string, Command][] {
  return command.commands.flatMap((child) => {
    const own = [...path, child.name()];
    return child.commands.length === 0
      ? [[own.join(' '), child] as [string, Command]]
      : listLeaves(child, own);
  });
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

describe('the help', () => {
  const leaves = listLeaves(program);

  it('is of more than a few commands', () => expect(leaves.length).toBeGreaterThan(25));

  it.each(leaves)('of %s has examples, and no option that takes a secret', (_, command) => {
    const text = helpOf(command);
    expect(text).toContain('Examples:');
    expect(text).not.toMatch(/--(api-)?key\b|--secret </);
  });
});
