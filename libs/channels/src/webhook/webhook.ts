import { invalidRequest } from '@chainwatch/problem';
import { defineChannelKind } from '../define-channel-kind.ts';
import { sendWebhook } from './send-webhook.ts';
import { webhookCredentials, webhookInput, webhookSecrets, webhookStored } from './webhook-config.ts';

/** HTTP POST to a URL of a customer, signed. */
export const webhook = defineChannelKind({
  kind: 'webhook',
  docs: {
    title: 'Webhook',
    description: 'HTTP POST to a URL.',
    create: 'Create a webhook channel; the answer shows its signing secret this once',
    update: 'Change a webhook channel; a new URL makes a failed channel active again',
    createExample: {
      name: 'Payments',
      url: 'https://hooks.example.com/chainwatch',
      event_types: ['transaction.confirmed'],
      filters: { direction: 'in' },
    },
    updateExample: { throttle_per_second: 10 },
  },
  isSigned: true,
  isDefault: true,
  input: webhookInput,
  secrets: webhookSecrets,
  stored: webhookStored,
  defaults: {
    events: 'payments',
    config: { headers: {}, auth: { type: 'none' }, standard_webhooks: false, throttle_per_second: null },
  },
  credentials: webhookCredentials,
  async check({ url }, { checkUrl, allowsHttp }) {
    if (url === undefined) return;
    if (new URL(url).protocol !== 'https:' && !allowsHttp)
      throw invalidRequest([{ name: 'url', reason: 'expected an https URL' }]);
    await checkUrl(url, ['http:', 'https:']);
  },
  seal: ({ auth }) => (auth === undefined || auth.type === 'none' ? null : { auth }),
  mask: ({ auth }) => ({ auth: { type: auth?.type ?? 'none' } }),
  isNewTarget: ({ url }, before) => url !== undefined && url !== before.url,
  fatal: { gone: 'the endpoint answered 410 Gone' },
  options: {},
  createSender: (context) => ({ send: (request) => sendWebhook(request, context) }),
});
