// SPDX-License-Identifier: Apache-2.0
import { invalidRequest } from '@chainwatch/common/problem';
import { signPayload, signStandardWebhook } from '@chainwatch/webhook-signature';
import { defineChannelKind } from '../define-channel-kind.ts';
import { postOnce } from '../http/post-once.ts';
import type { OutgoingEvent, SenderContext, SendRequest, SentMessage, SigningSecret } from '../sender.ts';
import { findReservedHeader } from './reserved-headers.ts';
import {
  webhookCredentials,
  webhookInput,
  webhookSecrets,
  webhookStored,
  type WebhookAuth,
  type WebhookTarget,
} from './webhook-config.ts';

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

/**
 * One signed POST with the current time. During a rotation the previous secret signs too, until its overlap
 * ends, to the millisecond.
 */
async function sendWebhook(
  {
    target,
    attemptId,
    event,
    body,
    contentType,
    traceparent,
    timeoutMs,
    answerMs,
  }: SendRequest<WebhookTarget>,
  { http, userAgent }: Pick<SenderContext, 'http' | 'userAgent'>,
): Promise<SentMessage> {
  const {
    config: { url, headers: own, standard_webhooks: standardWebhooks },
    credentials: { auth },
  } = target;
  const nowMs = Date.now();
  const secrets = secretsAt(nowMs, target.secrets);
  const built = buildWebhookHeaders({
    channel: { headers: own, auth, secrets, standardWebhooks },
    event: { ...event, payload: body },
    attemptId,
    traceparent,
    timestamp: Math.floor(nowMs / 1_000),
    userAgent,
  });
  const headers = { ...built, 'content-type': contentType };
  const outcome = await postOnce({ url, headers, body, http, timeoutMs, answerMs });
  return {
    request: { method: 'POST', url: maskUrl(url), headers: maskHeaders(headers, auth) },
    ...outcome,
  };
}

/** The current secret, and the previous one until its overlap ends. */
export function secretsAt(nowMs: number, secrets: readonly SigningSecret[]): string[] {
  return secrets
    .filter(({ expiresAtMs }) => expiresAtMs === undefined || expiresAtMs > nowMs)
    .map(({ secret }) => secret);
}

function maskUrl(url: string): string {
  if (!url.includes('@') || !URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (parsed.username === '' && parsed.password === '') return url;
  parsed.username = '***';
  parsed.password = '';
  return parsed.href;
}

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
