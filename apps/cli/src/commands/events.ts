// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import type { EventType } from '@chainwatch/sdk';
import { CliError, EXIT } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { showExamples } from '../show-examples.ts';
import { describeEvent } from '../describe-event.ts';
import { parseCount, parseEventTypes, parseId } from '../parse-options.ts';

export function addEvents(program: Command, act: Act): void {
  const events = program.command('events').description('Events of the project');
  events
    .command('tail')
    .description('Each new event, until Ctrl-C')
    .option('--after <position>', 'begin behind this position; 0: everything that is kept', parseCount)
    .option('--types <list>', 'only these, with commas between', parseEventTypes)
    .addHelpText(
      'after',
      showExamples({
        examples: `chainwatch events tail --types transaction.confirmed
chainwatch events tail --after 0 --json | jq .event_id`,
      }),
    )
    .action(act(tail));
  events
    .command('get')
    .description('One event, as it was sent')
    .argument('<event_id>', 'ID of an event', parseId)
    .addHelpText(
      'after',
      showExamples({ examples: `chainwatch events get 6f1d1f4e-0000-5000-8000-000000000001` }),
    )
    .action(act(get));
  events
    .command('resend')
    .description('Deliver an event again through the channels that had it')
    .argument('<event_id>', 'ID of an event', parseId)
    .option('--channel <id>', 'only through this one', parseId)
    .addHelpText(
      'after',
      showExamples({
        examples: `chainwatch events resend 6f1d1f4e-0000-5000-8000-000000000001 --channel 0199a1b2-…`,
      }),
    )
    .action(act(resend));
}

async function tail(
  { client, output, signal }: Context,
  options: { readonly after?: number; readonly types?: EventType[] },
): Promise<void> {
  output.note('Waiting for events, Ctrl-C ends it');
  const stream = client().events.stream({
    ...options,
    signal,
    onReconnect: (error) => output.note(`${error.message}, coming again`),
  });
  for await (const event of stream) {
    const { created_at: at, type, chain, about, event_id: id } = describeEvent(event);
    output.print(event, [event.position, at, type, chain ?? '', about ?? '', id].join('  '));
  }
}

async function get({ client, output }: Context, eventId: string): Promise<void> {
  const event = await client().events.get(eventId);
  output.print(event, JSON.stringify(event, undefined, 2));
}

async function resend(
  { client, output }: Context,
  eventId: string,
  options: { channel?: string },
): Promise<void> {
  const api = client();
  const channels: string[] = options.channel ? [options.channel] : [];
  if (options.channel === undefined)
    for await (const { id } of api.notificationChannels.list({ limit: 100 })) channels.push(id);
  const rows = [];
  for (const channel of channels) {
    const { items } = await api.notificationChannels.listDeliveries(channel, { event_id: eventId, limit: 1 });
    if (items[0] === undefined) continue;
    const made = await api.notificationChannels.redeliver(channel, items[0].id);
    rows.push({ channel, delivery: made.id, status: made.status });
  }
  if (rows.length === 0)
    throw new CliError(
      `No channel had the event ${eventId}: chainwatch deliveries list <channel> shows what it had.`,
      EXIT.failed,
    );
  output.table(rows);
}
