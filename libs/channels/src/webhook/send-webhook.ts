import { postOnce } from '../http/post-once.ts';
import type { SenderContext, SendRequest, SentMessage } from '../sender.ts';
import { buildWebhookHeaders, maskHeaders } from './build-webhook-headers.ts';
import type { WebhookTarget } from './webhook-config.ts';

/**
 * One signed POST with the current time. During a rotation the previous secret signs too, until its overlap
 * ends, to the millisecond.
 */
export async function sendWebhook(
  { target, attemptId, event, body, traceparent, timeoutMs }: SendRequest<WebhookTarget>,
  { dispatcher, userAgent }: Pick<SenderContext, 'dispatcher' | 'userAgent'>,
): Promise<SentMessage> {
  const {
    config: { url, headers: own, standard_webhooks: standardWebhooks },
    credentials: { auth },
  } = target;
  const nowMs = Date.now();
  const secrets = target.secrets
    .filter(({ expiresAtMs }) => expiresAtMs === undefined || expiresAtMs > nowMs)
    .map(({ secret }) => secret);
  const headers = buildWebhookHeaders({
    channel: { headers: own, auth, secrets, standardWebhooks },
    event,
    attemptId,
    traceparent,
    timestamp: Math.floor(nowMs / 1_000),
    userAgent,
  });
  const outcome = await postOnce({ url, headers, body, dispatcher, timeoutMs });
  return {
    request: { method: 'POST', url: maskUrl(url), headers: maskHeaders(headers, auth) },
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
