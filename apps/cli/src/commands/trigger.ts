import type { Command } from 'commander';
import type { components, EventType } from '@chainwatch/sdk';
import { CliError } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { showExamples } from '../show-examples.ts';
import { findLocalStack } from '../local-stack.ts';
import { findFundedNode, parsePayment, PAYMENT_NAMES, sendCoin, type Payment } from '../local-node.ts';
import { describeEvent } from '../describe-event.ts';

interface Options {
  readonly channel?: string;
  readonly to?: string;
  readonly set: Payment;
  readonly wait: boolean;
}

type Family = components['schemas']['Blockchain']['family'];

const EVENT_MS_MAX = 60_000;

export function addTrigger(program: Command, act: Act): void {
  program
    .command('trigger <type>')
    .description('Make an event happen: a real transaction on a local chain, or a test message')
    .option('--channel <id>', 'a test message through this channel')
    .option(
      '--to <address>',
      'pay this address of the local chain; default: one that the project monitors, or a new one',
    )
    .option(
      '--set <name=value>',
      `what the payment is made of, again and again: ${PAYMENT_NAMES.join(', ')}`,
      parsePayment,
      {},
    )
    .option('--no-wait', 'do not wait for the event')
    .addHelpText(
      'after',
      showExamples({
        notes: `Beside a stack that npm start made, it pays a monitored address on a local chain, and the event is a real one. Elsewhere
it needs --channel, and the event has is_test_message: true.`,
        examples: `chainwatch trigger transaction.detected
chainwatch trigger transaction.confirmed --to 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045 --set amount=1.5
chainwatch trigger transaction.confirmed --channel 0199a1b2-…`,
      }),
    )
    .action(act(trigger));
}

async function trigger(context: Context, type: EventType, options: Options): Promise<void> {
  const { client, output } = context;
  const { channel, to, set, wait } = options;
  const api = client();
  if (channel !== undefined && Object.keys(set).length > 0)
    throw new CliError('A test message has data of its own: --set is for payments on a local chain.');
  if (channel !== undefined) {
    const delivery = await api.notificationChannels.test(channel, { event_type: type });
    output.print(delivery, `Sent a test message ${type} through ${channel}: delivery ${delivery.id}`);
    return;
  }
  if (!type.startsWith('transaction.') && type !== 'balance.changed')
    throw new CliError(`A payment makes no ${type}: name a --channel for a test message.`);
  const node = await findFundedNode(findLocalStack()?.chains ?? {});
  if (node === undefined)
    throw new CliError(
      'There is no local chain with an account to pay from: name a --channel for a test message.',
    );
  const after = await readLastPosition(api);
  const address = to ?? (await findAddress(context, (await api.blockchains.get(node.chainGid)).family));
  const hash = await sendCoin(node, address, set);
  output.note(`Paid ${address} on ${node.chainGid} in ${hash}`);
  if (!wait) return output.print({ hash, address, chain_gid: node.chainGid }, hash);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(EVENT_MS_MAX)]);
  for await (const event of api.events.stream({ after, types: [type], signal })) {
    if (!JSON.stringify(event.data).includes(type === 'balance.changed' ? address : hash)) continue;
    return output.print(event, Object.values(describeEvent(event)).filter(Boolean).join('  '));
  }
  throw new CliError(
    `${type} did not come within ${EVENT_MS_MAX / 1_000} s; chainwatch doctor says where the chain stands.`,
    1,
  );
}

/** Where the events of now on begin. */
async function readLastPosition(api: ReturnType<Context['client']>): Promise<number> {
  const { items } = await api.events.list({ limit: 1 });
  return items[0]?.position ?? 0;
}

async function findAddress({ client }: Context, family: Family): Promise<string> {
  const { addresses } = client();
  const { items } = await addresses.list({ chain_families: [family], is_monitored: true, limit: 1 });
  if (items[0] !== undefined) return items[0].address;
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  const value = `0x${Buffer.from(bytes).toString('hex')}`;
  return (await addresses.createExternal({ value, chain_family: family, label: 'chainwatch trigger' }))
    .address;
}
