// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { includeProof } from '../include-proof.ts';
import { defineChannelKind } from '../define-channel-kind.ts';
import { postOnce } from '../http/post-once.ts';
import type { SenderContext, SendRequest, SentMessage } from '../sender.ts';
import { buildWebhookHeaders, maskHeaders, secretsAt, webhook } from '../webhook/webhook.ts';
import {
  webhookCredentials,
  webhookInput,
  webhookSecrets,
  webhookStored,
  type WebhookTarget,
} from '../webhook/webhook-config.ts';

const EVENTS_MAX = 500;
/** Servers take a body of 1 MiB (nginx's default). */
const CHARS_MAX = 1_000_000;

const maxEvents = z
  .int()
  .min(1)
  .max(EVENTS_MAX)
  .meta({ description: `Events in one request at most. Default ${EVENTS_MAX}.`, examples: [EVENTS_MAX] });

const { url, headers } = webhookInput;
const stored = {
  url: webhookStored.url,
  headers: webhookStored.headers,
  auth: webhookStored.auth,
  max_events: maxEvents,
  ...includeProof,
};
type BatchTarget = Omit<WebhookTarget, 'config'> & { readonly config: z.output<z.ZodObject<typeof stored>> };

/** HTTP POST of many events, a line each (NDJSON), to a URL of a customer, signed. */
export const httpBatch = defineChannelKind({
  kind: 'http_batch',
  docs: {
    title: 'HttpBatch',
    description: 'HTTP POST of many events, a line each.',
    create: 'Create a channel that POSTs events as lines; the answer shows its signing secret this once',
    update: 'Change an HTTP batch channel; a new URL makes a failed channel active again',
    createExample: { name: 'Warehouse', url: 'https://ingest.example.com/chainwatch' },
    updateExample: { max_events: 100 },
  },
  isSigned: true,
  input: { url, headers, max_events: maxEvents.optional(), ...includeProof },
  secrets: webhookSecrets,
  stored,
  defaults: {
    events: 'movements',
    config: { headers: {}, auth: { type: 'none' }, max_events: EVENTS_MAX },
  },
  credentials: webhookCredentials,
  check: (given, context) => webhook.check!(given, context, {}),
  seal: ({ auth }) => (auth === undefined || auth.type === 'none' ? null : { auth }),
  mask: ({ auth }) => ({ auth: { type: auth?.type ?? 'none' } }),
  isNewTarget: (given, before) => given.url !== undefined && given.url !== before.url,
  options: {},
  // What comes while a request is under way goes in the next one, so that nothing waits for a batch to fill.
  limits: ({ config }) => ({
    concurrency: 1,
    digest: { from: 1, max: config.max_events, charsMax: CHARS_MAX },
  }),
  isVerbatim: true,
  render: (payloads) => payloads.map((payload) => `${payload}\n`).join(''),
  createSender: (context) => ({ send: (request) => sendBatch(request, context) }),
});

async function sendBatch(
  { target, attemptId, event, body, traceparent, timeoutMs, answerMs }: SendRequest<BatchTarget>,
  { http, userAgent }: Pick<SenderContext, 'http' | 'userAgent'>,
): Promise<SentMessage> {
  const nowMs = Date.now();
  const {
    config: { url: to, headers: own },
    credentials: { auth },
  } = target;
  const { 'x-webhook-event-id': _id, ...all } = buildWebhookHeaders({
    channel: { headers: own, auth, secrets: secretsAt(nowMs, target.secrets), standardWebhooks: false },
    event: { ...event, eventType: 'batch', payload: body },
    attemptId,
    traceparent,
    timestamp: Math.floor(nowMs / 1_000),
    userAgent,
  });
  const sent = {
    ...all,
    'content-type': 'application/x-ndjson',
    'x-webhook-event-count': String(body.split('\n').length - 1),
  };
  const outcome = await postOnce({ url: to, headers: sent, body, http, timeoutMs, answerMs });
  return { request: { method: 'POST', url: to, headers: maskHeaders(sent, auth) }, ...outcome };
}
