import type { Dispatcher } from 'undici';
import type { Attempt } from './attempt.ts';
import { buildWebhookHeaders, maskHeaders } from './build-webhook-headers.ts';
import type { WebhookTarget } from './channel-config.ts';
import type { DeliveryJob } from './delivery-job.ts';
import { postOnce } from './post-once.ts';

export interface SendWebhookInput {
  readonly attemptId: string;
  readonly target: WebhookTarget;
  readonly job: DeliveryJob;
  readonly traceparent: string | undefined;
  readonly dispatcher: Dispatcher;
  readonly userAgent: string;
  readonly timeoutMs: number;
}

/** One signed POST with a fresh time. A previous secret signs until its overlap ends, to the millisecond. */
export async function sendWebhook({
  attemptId,
  target,
  job,
  traceparent,
  dispatcher,
  userAgent,
  timeoutMs,
}: SendWebhookInput): Promise<Attempt> {
  const nowMs = Date.now();
  const secrets = target.secrets
    .filter(({ expiresAtMs }) => expiresAtMs === undefined || expiresAtMs > nowMs)
    .map(({ secret }) => secret);
  const headers = buildWebhookHeaders({
    channel: { ...target, secrets },
    job,
    attemptId,
    traceparent,
    timestamp: Math.floor(nowMs / 1_000),
    userAgent,
  });
  const outcome = await postOnce({ url: target.url, headers, body: job.payload, dispatcher, timeoutMs });
  return {
    id: attemptId,
    request: { method: 'POST', url: maskUrl(target.url), headers: maskHeaders(headers, target.auth) },
    ...outcome,
  };
}

function maskUrl(url: string): string {
  if (!url.includes('@') || !URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (parsed.username === '' && parsed.password === '') return url;
  parsed.username = '***';
  parsed.password = '';
  return parsed.href;
}
