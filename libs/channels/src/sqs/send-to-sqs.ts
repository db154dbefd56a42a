// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import aws4 from 'aws4';
import type { ErrorCode } from '../attempt.ts';
import { eventKeyOf } from '../broker/event-key.ts';
import { describeMessage } from '../broker/publish-once.ts';
import { postOnce, type Outcome } from '../http/post-once.ts';
import type { SenderContext, SendRequest, SentMessage } from '../sender.ts';
import type { SqsTarget } from './sqs-config.ts';

interface Context extends Pick<SenderContext, 'http' | 'userAgent'> {
  readonly region: string;
}

/**
 * One SendMessage of the JSON protocol, signed with SigV4. A FIFO queue gets the event's address as group, and its id for
 * dropping what comes twice within five minutes.
 */
export async function sendToSqs(
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
