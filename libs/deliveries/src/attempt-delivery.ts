import { randomUUID } from 'node:crypto';
import type { Attempt } from './attempt.ts';
import { buildWebhookHeaders, maskHeaders } from './build-webhook-headers.ts';
import type { Channel } from './channel-config.ts';
import type { DeliveryJob } from './delivery-job.ts';
import type { DeliveryDependencies } from './delivery-options.ts';
import { sendWebhook } from './send-webhook.ts';

type Dependencies = Pick<DeliveryDependencies, 'dispatcher' | 'userAgent' | 'trace' | 'logger'>;

/** One signed attempt of a delivery with a fresh id and time. Never rejects. */
export async function attemptDelivery(dependencies: Dependencies, channel: Channel, job: DeliveryJob, timeoutMs: number): Promise<Attempt> {
  const { dispatcher, userAgent, trace = withoutSpan, logger } = dependencies;
  const attemptId = randomUUID();
  const startedAt = new Date();
  try {
    return await trace({ traceparent: job.traceparent, eventType: job.eventType, channelId: channel.id }, async (traceparent) => {
      const timestamp = Math.floor(startedAt.getTime() / 1_000);
      const headers = buildWebhookHeaders({ channel, job, attemptId, traceparent, timestamp, userAgent });
      const recorded = { method: 'POST' as const, url: maskUrl(channel.url), headers: maskHeaders(headers, channel.auth) };
      return sendWebhook({ attemptId, url: channel.url, headers, body: job.payload, recorded, dispatcher, timeoutMs });
    });
  } catch (error) {
    logger.error({ channel_id: channel.id, delivery_id: job.id, error: String(error) }, 'an attempt could not be made');
    return {
      id: attemptId,
      startedAt,
      durationMs: 0,
      statusCode: undefined,
      errorCode: 'internal_error',
      request: { method: 'POST', url: maskUrl(channel.url), headers: {} },
      responseHeaders: undefined,
      responseBody: undefined,
      retryAfterMs: undefined,
    };
  }
}

function withoutSpan<T>(event: { traceparent: string | undefined }, work: (traceparent: string | undefined) => Promise<T>): Promise<T> {
  return work(event.traceparent);
}

function maskUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (parsed.username === '' && parsed.password === '') return url;
  parsed.username = '***';
  parsed.password = '';
  return parsed.href;
}
