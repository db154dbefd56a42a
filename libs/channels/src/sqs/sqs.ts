// SPDX-License-Identifier: Apache-2.0
import { invalidRequest } from '@chainwatch/problem';
import { defineChannelKind } from '../define-channel-kind.ts';
import { sendToSqs } from './send-to-sqs.ts';
import { sqsAuth, sqsCredentials, sqsInput, sqsStored } from './sqs-config.ts';

/** A queue of Amazon SQS, or of a service that speaks its protocol. */
export const sqs = defineChannelKind({
  kind: 'sqs',
  docs: {
    title: 'Sqs',
    description: 'A queue of Amazon SQS.',
    create: 'Create a channel that sends to your own SQS queue',
    update: 'Change an SQS channel; a new queue makes a failed channel active again',
    createExample: {
      name: 'Payments',
      queue_url: 'https://sqs.eu-central-1.amazonaws.com/123456789012/payments.fifo',
      auth: {
        access_key_id: 'AKIAIOSFODNN7EXAMPLE',
        secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      },
    },
    updateExample: { region: 'eu-central-1' },
  },
  input: sqsInput,
  secrets: { auth: sqsAuth },
  stored: sqsStored,
  defaults: { events: 'movements', config: { region: null } },
  credentials: sqsCredentials,
  async check(given, { checkUrl, allowsHttp }) {
    if (given.queue_url === undefined) return;
    if (new URL(given.queue_url).protocol !== 'https:' && !allowsHttp)
      throw invalidRequest([{ name: 'queue_url', reason: 'expected an https URL' }]);
    if ((given.region ?? null) === null && regionOf(given.queue_url) === undefined)
      throw invalidRequest([
        { name: 'region', reason: 'expected a region: the URL of the queue names none' },
      ]);
    await checkUrl(given.queue_url, ['http:', 'https:']);
  },
  seal: ({ auth }) => ({ auth: auth! }),
  mask: ({ auth }) => ({ auth: { access_key_id: auth!.access_key_id } }),
  isNewTarget: (given, before) =>
    (given.queue_url !== undefined && given.queue_url !== before.queue_url) || given.auth !== undefined,
  options: {},
  // A FIFO queue has the order in which requests arrive, and each has a connection of its own.
  limits: ({ config }) => (config.queue_url.endsWith('.fifo') ? { concurrency: 1 } : {}),
  createSender: (context) => ({
    send: (request) =>
      sendToSqs(request, {
        ...context,
        region: request.target.config.region ?? regionOf(request.target.config.queue_url) ?? '',
      }),
  }),
});

/** `https://sqs.eu-central-1.amazonaws.com/…` → `eu-central-1` */
function regionOf(url: string): string | undefined {
  return /^sqs\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?$/.exec(new URL(url).hostname)?.[1];
}
