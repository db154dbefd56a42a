import { z } from 'zod';
import { invalidRequest } from '@chainwatch/problem';
import { defineChannelKind } from '../define-channel-kind.ts';
import type { ChannelTarget } from '../sender.ts';
import { sendToSqs } from './send-to-sqs.ts';

const queueUrl = z
  .url({ protocol: /^https?$/, error: 'expected the https URL of a queue' })
  .max(2_048)
  .refine(
    (value) => {
      const url = URL.parse(value);
      return (
        url === null || (url.username === '' && url.password === '' && url.search === '' && url.hash === '')
      );
    },
    { error: 'expected a URL without user name, password, query, and fragment' },
  )
  .meta({
    description: 'The queue, as SQS names it. One that ends with `.fifo` keeps the order of each address.',
    examples: ['https://sqs.eu-central-1.amazonaws.com/123456789012/payments.fifo'],
  });
const region = z
  .string()
  .regex(/^[a-z0-9-]{1,64}$/, 'expected a region such as eu-central-1')
  .meta({ description: 'Its region. Default: the one in the URL.', examples: ['eu-central-1'] });

const accessKey = z
  .strictObject({
    access_key_id: z
      .string()
      .regex(/^\w{16,128}$/, 'expected an access key id')
      .meta({ description: 'The id of the access key.', examples: ['AKIAIOSFODNN7EXAMPLE'] }),
    secret_access_key: z
      .string()
      .regex(/^[\x21-\x7e]{16,256}$/, 'expected a secret access key')
      .meta({ description: 'The secret.', examples: ['wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'] }),
  })
  .meta({
    id: 'SqsAuth',
    description: 'An access key that may `sqs:SendMessage`. The secret is write-only.',
  });

const stored = {
  queue_url: queueUrl,
  region: region.nullable(),
  auth: z
    .object({
      access_key_id: z
        .string()
        .meta({ description: 'The id of the access key.', examples: ['AKIAIOSFODNN7EXAMPLE'] }),
    })
    .meta({ description: 'The access key, without its secret.' }),
};
const credentials = z.object({ auth: accessKey });
export type SqsTarget = ChannelTarget<z.output<z.ZodObject<typeof stored>>, z.output<typeof credentials>>;

/** A queue of Amazon SQS, or of a service that speaks its protocol. */
export const sqs = defineChannelKind({
  kind: 'sqs',
  docs: {
    title: 'Sqs',
    description: 'A queue of Amazon SQS.',
    create: 'Create a channel that sends to an SQS queue of yours',
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
  input: { queue_url: queueUrl, region: region.nullable().optional() },
  secrets: { auth: accessKey },
  stored,
  defaults: { events: 'movements', config: { region: null } },
  credentials,
  async check(given, { checkUrl, allowsHttp }) {
    if (given.queue_url === undefined) return;
    if (new URL(given.queue_url).protocol !== 'https:' && !allowsHttp)
      throw invalidRequest([{ name: 'queue_url', reason: 'expected an https URL' }]);
    if (given.region == null && regionOf(given.queue_url) === undefined)
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
