import { signPayload, signStandardWebhook } from '@chainwatch/webhook-signature';
import type { OutgoingEvent } from '../sender.ts';
import { findReservedHeader } from './reserved-headers.ts';
import type { WebhookAuth } from './webhook-config.ts';

export interface WebhookHeadersInput {
  readonly channel: {
    readonly headers: Readonly<Record<string, string>>;
    readonly auth: WebhookAuth;
    readonly secrets: readonly string[];
    readonly standardWebhooks: boolean;
  };
  readonly event: OutgoingEvent;
  readonly attemptId: string;
  readonly traceparent: string | undefined;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly userAgent: string;
}

/** Headers of one attempt, in lower case. The channel's own headers never replace ours. */
export function buildWebhookHeaders(input: WebhookHeadersInput): Record<string, string> {
  const { channel, event, attemptId, traceparent, timestamp, userAgent } = input;
  const [current, previous] = channel.secrets;
  if (current === undefined) throw new Error('the channel has no secret to sign with');
  const signed = { secrets: [current, previous], timestamp, body: event.payload } as const;
  return {
    ...authHeaders(channel.auth),
    ...ownHeaders(channel.headers),
    'content-type': 'application/json',
    'user-agent': userAgent,
    'x-webhook-event': event.eventType,
    'x-webhook-event-id': event.eventId,
    'x-webhook-delivery-id': attemptId,
    'x-webhook-signature': signPayload(signed),
    ...(channel.standardWebhooks && signStandardWebhook({ ...signed, id: event.eventId })),
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
      .filter(([name]) => findReservedHeader(name, { isCredential: true }) === undefined),
  );
}
