// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { createHttpClient } from '@chainwatch/outbound';
import type { EventItem, EventType } from '@chainwatch/sdk';
import type { Act, Context } from '../context.ts';
import { showExamples } from '../show-examples.ts';
import { describeEvent } from '../describe-event.ts';
import { paint } from '../output.ts';
import { parseCount, parseEventTypes, urlOf } from '../parse-options.ts';
import { signDelivery } from '../sign-delivery.ts';

interface Options {
  readonly forwardTo: string;
  readonly types?: EventType[];
  readonly replay?: number;
}

/** Of a webhook channel. */
const ANSWER_MS_MAX = 10_000;

const parseForwardUrl = urlOf('http://localhost:3000/hook', 'http', 'https');

export function addListen(program: Command, act: Act): void {
  program
    .command('listen')
    .description(
      'Forward the events of the project to a URL of yours, signed as a webhook channel signs them',
    )
    .requiredOption('--forward-to <url>', 'such as http://localhost:3000/hook', parseForwardUrl)
    .option('--types <list>', 'only these, with commas between', parseEventTypes)
    .option('--replay <position>', 'first those behind this position; 0: everything that is kept', parseCount)
    .addHelpText(
      'after',
      showExamples({
        notes: `The secret is CHAINWATCH_WEBHOOK_SECRET, else a new one that is printed. Test messages are forwarded, too. Each event is
sent once, whatever your program answers: --replay sends it again.`,
        examples: `chainwatch listen --forward-to http://localhost:3000/hook
chainwatch listen --forward-to http://localhost:3000/hook --types transaction.confirmed --replay 0`,
      }),
    )
    .action(act(listen));
}

async function listen(context: Context, options: Options): Promise<void> {
  const { client, config, output, signal } = context;
  const api = client();
  const secret = config.webhookSecret ?? `local_whsec_${randomBytes(15).toString('hex')}`;
  const { forwardTo: url, types, replay: after } = options;
  output.note(`Forwarding events to ${url}, Ctrl-C ends it`);
  if (config.webhookSecret === undefined) output.note(`CHAINWATCH_WEBHOOK_SECRET=${secret}`);
  const onReconnect = (error: Error): void => output.note(`${error.message}, coming again`);
  const forward = async (isTest: boolean): Promise<void> => {
    const stream = api.events.stream({ after, types, signal, onReconnect, is_test: isTest });
    for await (const { position, ...event } of stream) {
      const outcome = await post(url, secret, event);
      const row = { position, ...describeEvent(event as EventItem), ...outcome };
      const isTaken = outcome.status !== undefined && outcome.status < 300;
      const answer = paint(output, isTaken ? 'green' : 'red', `→ ${outcome.status ?? outcome.error}`);
      output.print(
        row,
        `${event.created_at}  ${event.type}  ${event.event_id}  ${answer} ${outcome.duration_ms} ms`,
      );
    }
  };
  // A stream has either test messages or the others.
  await Promise.all([forward(false), forward(true)]);
}

const client = createHttpClient({ connectTimeoutMs: ANSWER_MS_MAX });

/** As the notifier does it, once. */
async function post(
  url: string,
  secret: string,
  event: Omit<EventItem, 'position'>,
): Promise<{ readonly status?: number; readonly error?: string; readonly duration_ms: number }> {
  const body = JSON.stringify(event);
  const started = performance.now();
  const spent = (): { duration_ms: number } => ({ duration_ms: Math.round(performance.now() - started) });
  try {
    const response = await client.request({
      url,
      method: 'POST',
      body,
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
      headers: signDelivery(event, { body, secrets: [secret] }),
    });
    await text(response.body);
    return { status: response.status, ...spent() };
  } catch (error) {
    return { error: (error as Error).message, ...spent() };
  }
}
