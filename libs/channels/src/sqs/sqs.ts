// SPDX-License-Identifier: Apache-2.0
import { invalidRequest } from '@chainwatch/common/problem';
import { defineChannelKind } from '../define-channel-kind.ts';
import { createHash } from 'node:crypto';
import aws4 from 'aws4';
import type { ErrorCode } from '../attempt.ts';
import { eventKeyOf } from '../broker/event-key.ts';
import { describeMessage } from '../broker/publish-once.ts';
import { postOnce, type Outcome } from '../http/post-once.ts';
import type { SenderContext, SendRequest, SentMessage, ChannelTarget } from '../sender.ts';
import { z } from 'zod';
import { includeProof } from '../include-proof.ts';

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
  .nullable()
  .meta({ description: 'Its region. Null: the one in the URL.', examples: ['eu-central-1'] });

const sqsAuth = z
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
    description: 'An access key that may `sqs:SendMessage`. The secret is write-only.',
  });

const sqsStored = {
  queue_url: queueUrl,
  region,
  ...includeProof,
  auth: z
    .object({
      access_key_id: z
        .string()
        .meta({ description: 'The id of the access key.', examples: ['AKIAIOSFODNN7EXAMPLE'] }),
    })
    .meta({ description: 'The access key, without its secret.' }),
};
const sqsCredentials = z.object({ auth: sqsAuth });
type SqsTarget = ChannelTarget<z.output<z.ZodObject<typeof sqsStored>>, z.output<typeof sqsCredentials>>;

/** Members of a request beside the credentials. */
const sqsInput = { queue_url: queueUrl, region: region.optional(), ...includeProof };

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

interface Context extends Pick<SenderContext, 'http' | 'userAgent'> {
  readonly region: string;
}

/**
 * One SendMessage of the JSON protocol, signed with SigV4. A FIFO queue gets the event's address as group, and its id for
 * dropping what comes twice within five minutes.
 */
async function sendToSqs(
  request: SendRequest<SqsTarget>,
  { http, userAgent, region }: Context,
): Promise<SentMessage> {
  const { target, timeoutMs, answerMs } = request;
  const { origin, host } = new URL(target.config.queue_url);
  const text = escapeForSqs(request.body);
  const body = JSON.stringify(messageOf(request, text));
  const plain = {
    'content-type': 'application/x-amz-json-1.0',
    'user-agent': userAgent,
    'x-amz-target': 'AmazonSQS.SendMessage',
  };
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = target.credentials.auth;
  const signed = aws4.sign(
    { service: 'sqs', region, method: 'POST', host, path: '/', headers: { ...plain }, body },
    { accessKeyId, secretAccessKey },
  );
  const headers = Object.fromEntries(
    Object.entries(signed.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
  const outcome = await postOnce({ url: `${origin}/`, headers, body, http, timeoutMs, answerMs });
  return {
    request: {
      method: 'POST',
      url: target.config.queue_url,
      headers: { ...headers, authorization: '***' },
    },
    ...judge(outcome, text),
  };
}

/** Characters that SQS does not take (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html). */
const REFUSED = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** The same JSON. Only its strings can hold them: a payer's memo does. */
function escapeForSqs(json: string): string {
  return json.replace(REFUSED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function messageOf(request: SendRequest<SqsTarget>, text: string): object {
  const { target, event } = request;
  const attributes = Object.entries(describeMessage(request)).map(
    ([name, value]) => [name, { DataType: 'String', StringValue: value }] as const,
  );
  return {
    QueueUrl: target.config.queue_url,
    MessageBody: text,
    MessageAttributes: Object.fromEntries(attributes),
    ...(target.config.queue_url.endsWith('.fifo') && {
      MessageGroupId: groupOf(eventKeyOf(event)),
      MessageDeduplicationId: event.eventId,
    }),
  };
}

/** A group has at most 128 letters, digits, and signs; a longer name stands as its hash. */
function groupOf(key: string): string {
  return /^[\x21-\x7e]{1,128}$/.test(key) ? key : createHash('sha256').update(key).digest('hex');
}

/** Ends of the error types of AWS. */
const TYPES: Readonly<Record<string, ErrorCode>> = {
  AccessDenied: 'permission_denied',
  AccessDeniedException: 'permission_denied',
  InvalidClientTokenId: 'authentication_failed',
  InvalidSecurity: 'authentication_failed',
  SignatureDoesNotMatch: 'authentication_failed',
  UnrecognizedClientException: 'authentication_failed',
  IncompleteSignature: 'authentication_failed',
  MissingAuthenticationToken: 'authentication_failed',
};

/** SQS has the message when it says the digest of the bytes that were sent. */
function judge(outcome: Outcome, text: string): Outcome {
  const answer = readAnswer(outcome.responseBody);
  if (outcome.errorCode === undefined) {
    const isStored = answer.MD5OfMessageBody === createHash('md5').update(text).digest('hex');
    return isStored ? outcome : { ...outcome, errorCode: 'not_acknowledged' };
  }
  const type = typeof answer.__type === 'string' ? answer.__type.split(/[#.]/).at(-1)! : '';
  const code = TYPES[type];
  return code === undefined ? outcome : { ...outcome, errorCode: code };
}

function readAnswer(body: string | undefined): { readonly [member: string]: unknown } {
  try {
    const answer: unknown = JSON.parse(body ?? '');
    return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
