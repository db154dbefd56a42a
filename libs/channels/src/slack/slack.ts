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
import { sendToSlack } from './send-to-slack.ts';

const HOSTS = ['hooks.slack.com', 'hooks.slack-gov.com'];
const EXAMPLE = 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX';
/** Slack shows at most that much of a text without folding it (https://docs.slack.dev/changelog/2018-truncating-really-long-messages). */
const LENGTH_MAX = 4_000;

/** https://docs.slack.dev/messaging/formatting-message-text: three characters are escaped, nothing else may be. */
const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const mrkdwn: Markup = {
  bold: (text) => `*${text}*`,
  // Code has no way to write its own mark.
  code: (text) => `\`${escape(text).replaceAll('`', "'")}\``,
  escape,
};

/** An incoming webhook of Slack, or of what takes its messages. */
export const slack = defineChannelKind({
  kind: 'slack',
  docs: {
    title: 'Slack',
    description: 'A channel in Slack.',
    create: 'Create a channel that writes to Slack through an incoming webhook of yours',
    update: 'Change a Slack channel; a new URL makes a failed channel active again',
    createExample: { name: 'Payments', url: EXAMPLE },
    updateExample: { event_types: ['transaction.confirmed'] },
  },
  input: {},
  // Mattermost and others take the same messages at /hooks/<id>, where the operator allows their host.
  secrets: serviceUrlInput({
    service: 'Slack',
    path: /^\/(services\/\w+\/\w+|hooks)\/\w{8,}$/,
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
  hides: [/(?<=\/services\/\w+\/\w+\/|\/hooks\/)\w{8,}/g],
  environment: {
    variables: { SLACK_HOSTS: serviceHosts(HOSTS) },
    read: ({ SLACK_HOSTS: hosts }) => ({ hosts: hosts as string[] }),
  },
  options: {
    hosts: HOSTS as readonly string[],
    // https://docs.slack.dev/apis/web-api/rate-limits: one message a second for each webhook.
    intervalMs: 1_000,
    digestFrom: 5,
    digestMax: 50,
  },
  limits: (_target, { intervalMs, digestFrom, digestMax }) => ({
    concurrency: 1,
    sharedIntervalMs: intervalMs,
    digest: { from: digestFrom, max: digestMax },
  }),
  pauseGroup: ({ credentials }) => credentials.url,
  render: (payloads) => formatEvents(payloads, mrkdwn, LENGTH_MAX),
  createSender: (context) => ({ send: (request) => sendToSlack(request, context) }),
});
