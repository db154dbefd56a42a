import type { Attempt, ErrorCode, RecordedRequest } from '../attempt.ts';
import { classifyFailure } from '../http/classify-failure.ts';
import type { SendRequest, SentMessage } from '../sender.ts';

const TEXT_MAX = 1_000;

/** What every broker gets beside the event's bytes; the content type where it is not that of plain JSON. */
export function describeMessage({
  event,
  attemptId,
  contentType,
  traceparent,
}: Pick<SendRequest, 'event' | 'attemptId' | 'contentType' | 'traceparent'>): Record<string, string> {
  return {
    'X-Webhook-Event': event.eventType,
    'X-Webhook-Event-Id': event.eventId,
    'X-Webhook-Delivery-Id': attemptId,
    ...(contentType !== 'application/json' && { 'content-type': contentType }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/**
 * Publishes once and records what came of it. Never rejects: whatever happens is the outcome.
 * @param publish resolves with the server's acknowledgement, for the record
 * @param classify the error codes of a kind; undefined: those of every connection
 */
export async function publishOnce(
  request: Omit<RecordedRequest, 'method'>,
  publish: () => Promise<object | undefined>,
  classify: (error: unknown) => ErrorCode | undefined,
): Promise<SentMessage> {
  const startedAt = new Date();
  const started = performance.now();
  const outcome = await publish().then(
    (receipt): Pick<Attempt, 'errorCode' | 'responseBody'> => ({
      errorCode: undefined,
      responseBody: receipt && JSON.stringify(receipt),
    }),
    (error: unknown) => ({
      errorCode: classify(error) ?? classifyConnection(error),
      responseBody:
        error instanceof Error ? error.message.slice(0, TEXT_MAX).replaceAll('\0', '\uFFFD') : undefined,
    }),
  );
  return {
    startedAt,
    durationMs: Math.round(performance.now() - started),
    statusCode: undefined,
    request: { method: 'PUB', ...request },
    responseHeaders: undefined,
    retryAfterMs: undefined,
    ...outcome,
  };
}

function classifyConnection(error: unknown): ErrorCode {
  if (error instanceof Error && error.name === 'NotAcknowledgedError') return 'not_acknowledged';
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  return classifyFailure(error);
}
