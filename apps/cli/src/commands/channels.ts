// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import type { Chainwatch, components, EventType } from '@chainwatch/sdk';
import { CHANNEL_KINDS } from '@chainwatch/sdk/catalogue';
import { checkPeriod } from '../check-period.ts';
import { wrongInput } from '../cli-error.ts';
import type { Act } from '../context.ts';
import { oneOf, parseEventType, parseEventTypes, parseId, parseSince, parseText } from '../parse-options.ts';
import { givenOf, readBody } from '../read-body.ts';
import { addResource, defineCommand, type Client, type Input, type Resource } from '../resource.ts';

type Kind = keyof typeof CHANNEL_KINDS;
type Channels = Chainwatch['notificationChannels'];
type Scenario = components['schemas']['RehearseChannelInput']['scenario'];

const KINDS = Object.keys(CHANNEL_KINDS) as Kind[];
const SCENARIOS = [
  ...(['duplicate', 'reordered', 'reorg', 'late', 'burst', 'slow', 'rotation'] as const),
] satisfies Scenario[];
const SORTS = ['name', '-name', 'kind', '-kind', 'created_at', '-created_at', 'updated_at', '-updated_at'];

const ID: Input = ['<channel_id>', 'ID of a channel', parseId];
const DATA: Input = [
  '--data <file>',
  'members of the request as a JSON object, as the API reference lists them; - for stdin',
  parseText,
];
const TYPES: Input = ['--types <list>', 'event types, with commas between', parseEventTypes];

interface Members {
  readonly name?: string;
  readonly types?: EventType[];
  readonly data?: string;
}

/** The body of a create or an update: `--data`, and what options say beside it. */
async function bodyOf({ name, types: events, data: path }: Members): Promise<Record<string, unknown>> {
  return { ...(await readBody(path)), ...givenOf({ name, event_types: events }) };
}

/** Each kind has its own. */
function operationOf(action: 'create' | 'update', kind: string): keyof Channels {
  const words = kind.split('_').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `${action}${words.join('')}` as keyof Channels;
}

type Send = (...args: readonly unknown[]) => Promise<unknown>;

async function create(api: Client, [kind]: readonly string[], members: Members): Promise<unknown> {
  const body = await bodyOf(members);
  const missing = CHANNEL_KINDS[kind as Kind].fields.filter(({ name }) => !Object.hasOwn(body, name));
  if (missing.length > 0)
    throw wrongInput(
      '--data',
      `expected the members ${missing.map(({ name }) => name).join(', ')} of ${kind!}`,
    );
  const channels = api().notificationChannels;
  return (channels[operationOf('create', kind!)] as Send).call(channels, body);
}

async function update(api: Client, [channelId]: readonly string[], members: Members): Promise<unknown> {
  const body = await bodyOf(members);
  if (Object.keys(body).length === 0)
    throw wrongInput('--data', 'expected members to change: give --name, --types, or --data');
  const channels = api().notificationChannels;
  const { kind } = await channels.get(channelId!);
  return (channels[operationOf('update', kind)] as Send).call(channels, channelId, body);
}

const CHANNELS: Resource = {
  name: 'channels',
  description: 'Notification channels of the project',
  commands: [
    defineCommand<{
      readonly kind?: Kind;
      readonly archived?: boolean;
      readonly search?: string;
      readonly sort?: string;
    }>({
      name: 'list',
      description: 'Channels of the project',
      options: [
        ['--kind <kind>', `only of this kind: ${KINDS.join(', ')}`, oneOf(KINDS)],
        ['--archived', 'archived channels'],
        ['--search <text>', 'only with this text in the name', parseText],
        ['--sort <member>', `order: ${SORTS.join(', ')}`, oneOf(SORTS)],
      ],
      columns: ['id', 'kind', 'name', 'status', 'failure_reason', 'created_at'],
      examples: `chainwatch channels list
chainwatch channels list --kind webhook --json | jq .id`,
      call: (api, _, { archived, sort, ...query }) =>
        api().notificationChannels.list({ ...query, is_archived: archived, sort_by: sort as never }),
    }),
    defineCommand({
      name: 'get',
      description: 'One channel with its configuration; secrets are masked',
      args: [ID],
      examples: `chainwatch channels get 0199a1b2-…`,
      call: (api, [channelId]) => api().notificationChannels.get(channelId!),
    }),
    defineCommand<Members>({
      name: 'create',
      description: 'Create a channel; a signing secret is shown this once',
      notes:
        'URLs, tokens, and passwords may be secret: they come from a file or stdin, never from the command line.',
      args: [['<kind>', KINDS.join(', '), oneOf(KINDS)]],
      requiredOptions: [['--name <text>', 'name of the channel', parseText]],
      options: [TYPES, DATA],
      examples: `echo '{"url": "https://shop.example/hook"}' | chainwatch channels create webhook --name Shop --data -
chainwatch channels create telegram --name Alerts --types transaction.confirmed --data bot.json`,

      call: create,
    }),
    defineCommand<Members>({
      name: 'update',
      description: 'Change members of a channel',
      args: [ID],
      options: [['--name <text>', 'name of the channel', parseText], TYPES, DATA],
      examples: `chainwatch channels update 0199a1b2-… --types transaction.confirmed,transaction.reorged
echo '{"filters": {"min_amount": "100"}}' | chainwatch channels update 0199a1b2-… --data -`,
      call: update,
    }),
    ...listActions(),
    ...listTrials(),
    ...listSecretCommands(),
  ],
};

function listActions(): Resource['commands'] {
  const states = ['deliver', 'discard'] as const;
  return [
    defineCommand({
      name: 'archive',
      description: 'Disable a channel and keep its configuration',
      args: [ID],
      examples: `chainwatch channels archive 0199a1b2-…`,
      say: (_, [channelId]) => `Archived ${channelId!}`,
      call: (api, [channelId]) => api().notificationChannels.archive(channelId!),
    }),
    defineCommand<{ readonly held?: (typeof states)[number] }>({
      name: 'restore',
      description: 'Make an archived or failed channel active again',
      args: [ID],
      options: [['--held <choice>', `what happens to held events: ${states.join(', ')}`, oneOf(states)]],
      examples: `chainwatch channels restore 0199a1b2-… --held discard`,
      say: (_, [channelId]) => `Restored ${channelId!}`,
      call: (api, [channelId], query) => api().notificationChannels.restore(channelId!, query),
    }),
    defineCommand({
      name: 'delete',
      description: 'Delete a channel with its deliveries',
      args: [ID],
      examples: `chainwatch channels delete 0199a1b2-…`,
      say: (_, [channelId]) => `Deleted ${channelId!}`,
      call: (api, [channelId]) => api().notificationChannels.delete(channelId!),
    }),
  ];
}

function listTrials(): Resource['commands'] {
  return [
    defineCommand<{ readonly type?: EventType }>({
      name: 'test',
      description: 'Send a test message through a channel',
      args: [ID],
      options: [['--type <type>', 'type of the event', parseEventType]],
      examples: `chainwatch channels test 0199a1b2-… --type transaction.confirmed`,
      call: (api, [channelId], { type }) =>
        api().notificationChannels.test(channelId!, givenOf({ event_type: type })),
    }),
    defineCommand<{ readonly scenario: Scenario }>({
      name: 'rehearse',
      description: 'Try the receiver of a sandbox channel with made-up events',
      args: [ID, ['<scenario>', SCENARIOS.join(', '), oneOf(SCENARIOS)]],
      examples: `chainwatch channels rehearse 0199a1b2-… duplicate`,
      call: (api, [channelId, scenario]) =>
        api().notificationChannels.rehearse(channelId!, { scenario: scenario as Scenario }),
    }),
    defineCommand<Members & { readonly kind?: Kind; readonly since: string; readonly until?: string }>({
      name: 'preview',
      description: 'Past events that a channel would have received',
      notes: 'It changes nothing. --data holds the selection: event_types, filters, include_historical.',
      requiredOptions: [['--since <time>', 'made then or later: a time, or 90m, 2d', parseSince]],
      options: [
        ['--until <time>', 'and before then', parseSince],
        ['--kind <kind>', `kind whose default event types apply: ${KINDS.join(', ')}`, oneOf(KINDS)],
        TYPES,
        DATA,
      ],
      examples: `chainwatch channels preview --since 7d --types transaction.confirmed
echo '{"filters": {"direction": "in"}}' | chainwatch channels preview --since 1d --data -`,
      async call(api, _, { since, until, kind, ...members }) {
        checkPeriod({ since, until });
        const body = { ...(await bodyOf(members)), ...givenOf({ since, until, kind }) };
        return api().notificationChannels.preview(body as never);
      },
    }),
  ];
}

function listSecretCommands(): Resource['commands'] {
  return [
    defineCommand({
      name: 'secrets',
      description: 'Masks and times of the signing secrets of a channel',
      args: [ID],
      examples: `chainwatch channels secrets 0199a1b2-…`,
      call: (api, [channelId]) => api().notificationChannels.getWebhookSecrets(channelId!),
    }),
    defineCommand({
      name: 'rotate-secret',
      description: 'Make a new signing secret; the old one signs for 24 hours more',
      args: [ID],
      examples: `chainwatch channels rotate-secret 0199a1b2-… > secret.txt`,
      say: (answer) => (answer as components['schemas']['RotatedWebhookSecret']).webhook_secret,

      call: (api, [channelId]) => api().notificationChannels.rotateWebhookSecret(channelId!),
    }),
    defineCommand({
      name: 'end-rotation',
      description: 'Stop signing with the previous secret',
      args: [ID],
      examples: `chainwatch channels end-rotation 0199a1b2-…`,
      say: (_, [channelId]) => `Only the new secret of ${channelId!} signs`,
      call: (api, [channelId]) => api().notificationChannels.deletePreviousSecret(channelId!),
    }),
  ];
}

export function addChannels(program: Command, act: Act): void {
  addResource(program, act, CHANNELS);
}
