// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import type { Chainwatch, components, EventType } from '@chainwatch/sdk';
import { CliError, EXIT, wrongInput } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { parseEventType, parseId, parseText } from '../parse-options.ts';
import { showExamples } from '../show-examples.ts';
import { findLocalStack } from '../local-stack.ts';
import {
  listLocalChains,
  makeAddress,
  parsePayment,
  PAYMENT_NAMES,
  sendCoin,
  type Payment,
} from '../playground.ts';
import { describeEvent } from '../describe-event.ts';

interface Options {
  readonly channel?: string;
  readonly chain?: string;
  readonly to?: string;
  readonly set: Payment;
  readonly wait: boolean;
}

type Blockchain = components['schemas']['Blockchain'];

/** The local Bitcoin chain has a block every ten seconds, and confirms after three. */
const EVENT_MS_MAX = 60_000;
const PAGE_ITEMS = 100;

/** A payment that a local chain takes neither fails nor leaves the chain. */
const UNPAID_TYPES = /^transaction\.(failed|reorged)$/;

export function addTrigger(program: Command, act: Act): void {
  program
    .command('trigger')
    .description('Make an event happen: a real transaction on a local chain, or a test message')
    .argument('<type>', 'type of the event', parseEventType)
    .option('--channel <id>', 'a test message through this channel', parseId)
    .option(
      '--chain <gid>',
      'which local chain, as CAIP-2, by its name or its family; default: the one with a block each second',
      parseText,
    )
    .option(
      '--to <address>',
      'pay this address of the local chain; default: one that the project monitors, or a new one',
      parseText,
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
chainwatch trigger transaction.detected --chain bitcoin
chainwatch trigger transaction.confirmed --channel 0199a1b2-…`,
      }),
    )
    .action(act(trigger));
}

async function trigger(context: Context, type: EventType, options: Options): Promise<void> {
  const { client, output } = context;
  const { channel, set, wait } = options;
  const playground = checkOptions(type, options);
  const api = client();
  if (channel !== undefined) {
    const delivery = await api.notificationChannels.test(channel, { event_type: type });
    output.print(delivery, `Sent a test message ${type} through ${channel}: delivery ${delivery.id}`);
    return;
  }
  const local = await listLocalChains(playground);
  const chain = await findChain(
    api,
    local.map(({ chain_gid: gid }) => gid),
    options.chain,
  );
  const hasAccounts = local.some(({ chain_gid: gid, has_accounts: has }) => gid === chain.gid && has);
  if (set.from !== undefined && !hasAccounts)
    throw wrongInput('--set', `from: ${chain.gid} pays out of one wallet, leave it out`);
  const after = await readLastPosition(api);
  const address =
    options.to ?? (await findAddress(api, chain)) ?? (await watchNewAddress(api, chain, playground));
  const hash = await sendCoin(playground, { ...set, chain_gid: chain.gid, to: address });
  output.note(`Paid ${address} on ${chain.gid} in ${hash}`);
  if (!wait) return output.print({ hash, address, chain_gid: chain.gid }, hash);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(EVENT_MS_MAX)]);
  for await (const event of api.events.stream({ after, types: [type], signal })) {
    if (!JSON.stringify(event.data).includes(type === 'balance.changed' ? address : hash)) continue;
    return output.print(event, Object.values(describeEvent(event)).filter(Boolean).join('  '));
  }
  throw new CliError(
    `${type} did not come within ${EVENT_MS_MAX / 1_000} s; chainwatch doctor says where the chain stands.`,
    EXIT.failed,
  );
}

/** Before any request. @returns the URL of the playground, empty for a test message */
function checkOptions(type: EventType, { channel, chain, to, set }: Options): string {
  if (channel !== undefined) {
    const wrong = chain ? '--chain' : to ? '--to' : Object.keys(set).length > 0 ? '--set' : undefined;
    if (wrong !== undefined)
      throw wrongInput(wrong, 'only payments have it; a test message (--channel) has data of its own');
    return '';
  }
  if ((!type.startsWith('transaction.') && type !== 'balance.changed') || UNPAID_TYPES.test(type))
    throw wrongInput('type', `a payment makes no ${type}; name a --channel for a test message`);
  const playground = findLocalStack()?.playground_url;
  if (playground === undefined)
    throw wrongInput(
      '--channel',
      'expected it for a test message: there is no stack with local chains that npm start made',
    );
  return playground;
}

/** Where the events of now on begin. */
async function readLastPosition(api: Chainwatch): Promise<number> {
  const { items } = await api.events.list({ limit: 1 });
  return items[0]?.position ?? 0;
}

/** @throws CliError where the stack follows no such chain */
async function findChain(
  api: Chainwatch,
  local: readonly string[],
  wanted: string | undefined,
): Promise<Blockchain> {
  const { items } = await api.blockchains.list({ limit: PAGE_ITEMS });
  const chains = local.flatMap((gid) => items.find((chain) => chain.gid === gid) ?? []);
  const found = chains.find(
    ({ gid, name, family }) => wanted === undefined || [gid, name, family].includes(wanted),
  );
  if (found !== undefined) return found;
  throw wrongInput(
    '--chain',
    `expected a local chain that is followed (${chains.map(({ gid }) => gid).join(', ') || 'there is none'}), got ${wanted ?? 'nothing'}`,
  );
}

/** One that the project monitors on this chain: not every chain of a family knows each address. */
async function findAddress(
  { addresses }: Chainwatch,
  { gid, family }: Blockchain,
): Promise<string | undefined> {
  const { items } = await addresses.list({ chain_families: [family], is_monitored: true, limit: PAGE_ITEMS });
  return items.find((one) => Object.hasOwn(one.watched_from, gid))?.address;
}

async function watchNewAddress(
  { addresses }: Chainwatch,
  { gid, family }: Blockchain,
  playground: string,
): Promise<string> {
  const value = await makeAddress(playground, gid);
  return (await addresses.createExternal({ value, chain_family: family, label: 'chainwatch trigger' }))
    .address;
}
