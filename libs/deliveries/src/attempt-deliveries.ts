import { randomUUID } from 'node:crypto';
import {
  CHANNEL_KINDS,
  type Attempt,
  type RecordedRequest,
  type Sender,
  type SenderContext,
} from '@chainwatch/channels';
import type { Channel } from './channel.ts';
import type { DeliveryJob } from './delivery-job.ts';
import type { DeliveryDependencies, DeliveryOptions } from './delivery-options.ts';

/** Senders by kind of channel. */
export type Senders = ReadonlyMap<string, Sender>;

export function createSenders(context: SenderContext, { kinds }: Pick<DeliveryOptions, 'kinds'>): Senders {
  return new Map(CHANNEL_KINDS.map((one) => [one.kind, one.createSender(context, kinds[one.kind] ?? {})]));
}

export async function closeSenders(senders: Senders): Promise<void> {
  await Promise.all([...senders.values()].map(async (sender) => sender.close?.()));
}

interface Attempting extends Pick<DeliveryDependencies, 'trace' | 'logger'> {
  readonly senders: Senders;
  readonly timeoutMs: number;
}

/** Sends the jobs in one request: one attempt for each of them. Never rejects. */
export async function attemptDeliveries(
  { trace = withoutSpan, logger, senders, timeoutMs }: Attempting,
  channel: Channel,
  jobs: readonly DeliveryJob[],
): Promise<Attempt[]> {
  const [first] = jobs;
  try {
    return await trace(
      { traceparent: first!.traceparent, eventType: first!.eventType, channelId: channel.id },
      (traceparent) => send(senders, channel, { jobs, traceparent, timeoutMs }),
    );
  } catch (error) {
    logger.error(
      { channel_id: channel.id, delivery_id: first!.id, err: error },
      'an attempt could not be made',
    );
    return jobs.map(() => failedByUs());
  }
}

async function send(
  senders: Senders,
  { id: channelId, kind, target, fault }: Channel,
  {
    jobs,
    traceparent,
    timeoutMs,
  }: { jobs: readonly DeliveryJob[]; traceparent: string | undefined; timeoutMs: number },
): Promise<Attempt[]> {
  if (kind === undefined || target === undefined) throw new Error(fault);
  const attemptId = randomUUID();
  const message = await senders.get(kind.kind)!.send({
    target,
    channelId,
    attemptId,
    event: jobs[0]!,
    body: kind.render(jobs.map(({ payload }) => payload)),
    traceparent,
    timeoutMs,
  });
  return jobs.map((_job, index) =>
    index === 0 ? { id: attemptId, ...message } : { id: randomUUID(), ...message, isShared: true },
  );
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
