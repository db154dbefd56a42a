import { randomUUID } from 'node:crypto';
import type { Attempt, RecordedRequest } from './attempt.ts';
import type { Channel } from './channel-config.ts';
import type { DeliveryJob } from './delivery-job.ts';
import type { DeliveryDependencies } from './delivery-options.ts';
import type { NatsPublisher } from './nats/create-nats-publisher.ts';
import { sendNats } from './nats/send-nats.ts';
import { sendWebhook } from './send-webhook.ts';
import type { TelegramSender } from './telegram/create-telegram-sender.ts';

export interface Senders extends Pick<DeliveryDependencies, 'dispatcher' | 'userAgent' | 'trace' | 'logger'> {
  readonly nats: NatsPublisher;
  readonly telegram: TelegramSender;
}

/** One attempt for each of the jobs, which go in one request; only Telegram takes several. Never rejects. */
export async function attemptDeliveries(
  senders: Senders,
  channel: Channel,
  jobs: readonly DeliveryJob[],
  timeoutMs: number,
): Promise<Attempt[]> {
  const { trace = withoutSpan, logger } = senders;
  const [first] = jobs;
  try {
    return await trace(
      { traceparent: first!.traceparent, eventType: first!.eventType, channelId: channel.id },
      (traceparent) => send(senders, channel, jobs, traceparent, timeoutMs),
    );
  } catch (error) {
    logger.error(
      { channel_id: channel.id, delivery_id: first!.id, error: String(error) },
      'an attempt could not be made',
    );
    return jobs.map(() => failedByUs());
  }
}

async function send(
  senders: Senders,
  { target }: Channel,
  jobs: readonly DeliveryJob[],
  traceparent: string | undefined,
  timeoutMs: number,
): Promise<Attempt[]> {
  const { dispatcher, userAgent } = senders;
  const [job] = jobs;
  switch (target.kind) {
    case 'webhook':
      return [
        await sendWebhook({
          attemptId: randomUUID(),
          target,
          job: job!,
          traceparent,
          dispatcher,
          userAgent,
          timeoutMs,
        }),
      ];
    case 'nats':
      return [
        await sendNats({
          attemptId: randomUUID(),
          target,
          job: job!,
          traceparent,
          publisher: senders.nats,
          timeoutMs,
        }),
      ];
    case 'telegram':
      return senders.telegram.send({ target, jobs, timeoutMs });
  }
}

function failedByUs(): Attempt {
  const request: RecordedRequest = { method: 'POST', url: '', headers: {} };
  const nothing = {
    statusCode: undefined,
    responseHeaders: undefined,
    responseBody: undefined,
    retryAfterMs: undefined,
  };
  return {
    id: randomUUID(),
    startedAt: new Date(),
    durationMs: 0,
    errorCode: 'internal_error',
    request,
    ...nothing,
  };
}

function withoutSpan<T>(
  event: { traceparent: string | undefined },
  work: (traceparent: string | undefined) => Promise<T>,
): Promise<T> {
  return work(event.traceparent);
}
