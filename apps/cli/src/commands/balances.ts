// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import { EXIT } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { parseText } from '../parse-options.ts';
import { showExamples } from '../show-examples.ts';

const AT_ONCE = 1_000;

export function addBalances(program: Command, act: Act): void {
  program
    .command('balances')
    .description('Balances of addresses, as the chains state them')
    .argument('<address...>', 'watched addresses', (text: string, before: readonly string[] = []) => [
      ...before,
      parseText(text),
    ])
    .addHelpText(
      'after',
      showExamples({
        examples: `chainwatch balances 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
chainwatch balances --json 0xd8dA… bc1q…`,
      }),
    )
    .action(act(show));
}

async function show({ client, output }: Context, addresses: string[]): Promise<void> {
  const rows: Record<string, unknown>[] = [];
  for (let from = 0; from < addresses.length; from += AT_ONCE) {
    const { items, not_found: missing } = await client().addresses.queryBalances({
      addresses: addresses.slice(from, from + AT_ONCE),
    });
    for (const { address, balances } of items)
      for (const [asset, balance] of Object.entries(balances)) rows.push({ address, asset, balance });
    for (const address of missing) output.note(`${address} is not watched`);
    if (missing.length > 0) process.exitCode = EXIT.notRight;
  }
  output.table(rows);
}
