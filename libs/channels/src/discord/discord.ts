import { defineChannelKind } from '../define-channel-kind.ts';
import { formatEvents, type Markup } from '../format-events.ts';
import {
  checkServiceUrl,
  maskServiceUrl,
  serviceHosts,
  serviceUrlCredentials,
  serviceUrlInput,
  serviceUrlStored,
  WEBHOOK_GONE,
} from '../http/service-webhook.ts';
import { sendToDiscord } from './send-to-discord.ts';

const HOSTS = ['discord.com', 'discordapp.com', 'ptb.discord.com', 'canary.discord.com'];
const EXAMPLE = 'https://discord.com/api/webhooks/223704706495545344/XXXXXXXXXXXXXXXXXXXXXXXX';
/** Of an embed's description (https://discord.com/developers/docs/resources/message#embed-object-embed-limits). */
const LENGTH_MAX = 4_096;

/** https://support.discord.com/hc/articles/210298617: any punctuation of Markdown may be escaped. */
const markdown: Markup = {
  bold: (text) => `**${text}**`,
  // Code has no way to write its own mark.
  code: (text) => `\`${text.replaceAll('`', "'")}\``,
  escape: (text) => text.replaceAll(/[\\*_~`|<>[\]()#:@+.-]/g, '\\$&'),
};

/** A webhook of a channel in Discord. */
export const discord = defineChannelKind({
  kind: 'discord',
  docs: {
    title: 'Discord',
    description: 'A channel in Discord.',
    create: 'Create a channel that writes to Discord through a webhook of yours',
    update: 'Change a Discord channel; a new URL makes a failed channel active again',
    createExample: { name: 'Payments', url: EXAMPLE },
    updateExample: { event_types: ['transaction.confirmed'] },
  },
  input: {},
  secrets: serviceUrlInput({
    service: 'Discord',
    path: /^\/api(\/v\d+)?\/webhooks\/\d{5,25}\/[\w-]{8,}$/,
    example: EXAMPLE,
  }),
  stored: serviceUrlStored,
  defaults: { events: 'movements', config: {} },
  credentials: serviceUrlCredentials,
  check: ({ url }, context, { hosts }) => checkServiceUrl(url, context, hosts),
  seal: (given) => given,
  mask: maskServiceUrl,
  isNewTarget: ({ url }) => url !== undefined,
  fatal: WEBHOOK_GONE,
  hides: [/(?<=\/webhooks\/\d+\/)[\w-]+/g],
  environment: {
    variables: { DISCORD_HOSTS: serviceHosts(HOSTS) },
    read: ({ DISCORD_HOSTS: hosts }) => ({ hosts: hosts as string[] }),
  },
  // Five requests in two seconds for each webhook; its answers say when that is used up.
  options: { hosts: HOSTS as readonly string[], intervalMs: 400, digestFrom: 5, digestMax: 50 },
  limits: (_target, { intervalMs, digestFrom, digestMax }) => ({
    concurrency: 1,
    sharedIntervalMs: intervalMs,
    digest: { from: digestFrom, max: digestMax },
  }),
  pauseGroup: ({ credentials }) => credentials.url,
  render: (payloads) => formatEvents(payloads, markdown, LENGTH_MAX),
  createSender: (context) => ({ send: (request) => sendToDiscord(request, context) }),
});
