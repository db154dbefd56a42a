// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import type { Act, Context } from '../context.ts';
import { writeAccounts } from '../nats/write-accounts.ts';
import { parseProject, parseText } from '../parse-options.ts';
import { showExamples } from '../show-examples.ts';

export function addNats(program: Command, act: Act): void {
  const nats = program
    .command('nats')
    .description('Accounts of projects in the NATS server of the installation');
  nats
    .command('account')
    .description(
      'Write the accounts of a NATS server: one for the services, one for each project that reads there',
    )
    .argument('<project_id...>', 'IDs of projects', (text: string, before: readonly string[] = []) => [
      ...before,
      parseProject(text),
    ])
    .option('--directory <path>', 'where accounts.conf and the seeds are', parseText, 'nats-accounts')
    .addHelpText(
      'after',
      showExamples({
        notes: `Include accounts.conf in the configuration of the server, then nats-server --signal reload. Accounts and seeds that are
there stay. It asks nobody: it runs beside the server's files.`,
        examples: `chainwatch nats account 6f1d1f4e-0000-4000-8000-000000000001
chainwatch nats account 6f1d1f4e-0000-4000-8000-000000000001 --directory /etc/nats/accounts --json`,
      }),
    )
    .action(act(writeAccount));
}

async function writeAccount(
  { output }: Context,
  projectIds: string[],
  { directory }: { readonly directory: string },
): Promise<void> {
  const projects = writeAccounts(directory, projectIds);
  output.print(
    { directory, projects },
    `Wrote ${directory}/accounts.conf with an account for the services and ${projects.length} for projects.`,
  );
}
