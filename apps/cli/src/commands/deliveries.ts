// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import type { operations } from '@chainwatch/sdk';
import { checkPeriod } from '../check-period.ts';
import type { Act, Context } from '../context.ts';
import { showExamples } from '../show-examples.ts';
import { countOf, listOf, parseId, parseSince } from '../parse-options.ts';

const STATUSES = ['pending', 'held', 'delivered', 'failed', 'discarded'] as const;

type Query = NonNullable<operations['listDeliveries']['parameters']['query']>;

export function addDeliveries(program: Command, act: Act): void {
  const deliveries = program.command('deliveries').description('What was sent through a channel');
  deliveries
    .command('list')
    .description('The log of a channel, the newest first')
    .argument('<channel_id>', 'ID of a channel', parseId)
    .option('--statuses <list>', 'only these: pending, held, delivered, failed, discarded', listOf(STATUSES))
    .option('--since <time>', 'made then or later: a time, or 90m, 2d', parseSince)
    .option('--limit <n>', 'rows', countOf(1, 100_000), 20)
    .addHelpText(
      'after',
      showExamples({ examples: `chainwatch deliveries list 0199a1b2-… --statuses failed --since 2d` }),
    )
    .action(act(list));
  deliveries
    .command('recover')
    .description('Send again, in event order, what failed or was discarded')
    .argument('<channel_id>', 'ID of a channel', parseId)
    .requiredOption('--since <time>', 'made then or later: a time, or 90m, 2d', parseSince)
    .option('--until <time>', 'and before then', parseSince)
    .addHelpText('after', showExamples({ examples: `chainwatch deliveries recover 0199a1b2-… --since 6h` }))
    .action(act(recover));
}

async function list(
  { client, output }: Context,
  channel: string,
  { limit, ...query }: Pick<Query, 'statuses' | 'since'> & { readonly limit: number },
): Promise<void> {
  const rows = [];
  const found = client().notificationChannels.listDeliveries(channel, {
    ...query,
    limit: Math.min(limit, 100),
  });
  for await (const row of found) {
    if (rows.length >= limit) break;
    rows.push(row);
  }
  output.table(rows, ['created_at', 'status', 'event_type', 'attempt_count', 'last_error', 'event_id', 'id']);
}

async function recover(
  { client, output }: Context,
  channel: string,
  options: { readonly since: string; readonly until?: string },
): Promise<void> {
  checkPeriod(options);
  const answer = await client().notificationChannels.recover(channel, options);
  output.print(
    answer,
    Object.entries(answer)
      .map(([name, value]) => `${name}: ${String(value)}`)
      .join('\n'),
  );
}
