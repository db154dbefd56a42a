import { signPayload } from '@chainwatch/webhook-signature';
import { RESERVED_HEADERS, type WebhookAuth, type WebhookTarget } from './channel-config.ts';
import type { DeliveryJob } from './delivery-job.ts';

export interface WebhookHeadersInput {
  readonly channel: Pick<WebhookTarget, 'headers' | 'auth'> & { readonly secrets: readonly string[] };
  readonly job: Pick<DeliveryJob, 'eventId' | 'eventType' | 'payload'>;
  readonly attemptId: string;
  readonly traceparent: string | undefined;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly userAgent: string;
}

/** Headers of one attempt, lower case; the channel's own never replace ours. */
export function buildWebhookHeaders(input: WebhookHeadersInput): Record<string, string> {
  const { channel, job, attemptId, traceparent, timestamp, userAgent } = input;
  const [current, previous] = channel.secrets;
  if (current === undefined) throw new Error('the channel has no secret to sign with');
  return {
    ...authHeaders(channel.auth),
    ...ownHeaders(channel.headers),
    'content-type': 'application/json',
    'user-agent': userAgent,
    'x-webhook-event': job.eventType,
    'x-webhook-event-id': job.eventId,
    'x-webhook-delivery-id': attemptId,
    'x-webhook-signature': signPayload({ secrets: [current, previous], timestamp, body: job.payload }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/** For the record of the attempt: credentials never leave the sealed column. */
export function maskHeaders(
  headers: Readonly<Record<string, string>>,
  auth: WebhookAuth,
): Record<string, string> {
  const secretNames = Object.keys(authHeaders(auth));
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      secretNames.includes(name) || name === 'authorization' ? '***' : value,
    ]),
  );
}

function authHeaders(auth: WebhookAuth): Record<string, string> {
  switch (auth.type) {
    case 'none':
      return {};
    case 'basic':
      return {
        authorization: `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`,
      };
    case 'bearer':
      return { authorization: `Bearer ${auth.token}` };
    case 'header':
      return ownHeaders({ [auth.name]: auth.value });
  }
}

function ownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !RESERVED_HEADERS.has(name)),
  );
}
