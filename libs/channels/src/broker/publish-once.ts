// SPDX-License-Identifier: Apache-2.0
import { PUBLIC_MESSAGES } from '@chainwatch/outbound';
import { BaseError } from '@chainwatch/common/problem';
import type { Attempt, ErrorCode, RecordedRequest } from '../attempt.ts';
import { awaitAnswer } from '../await-answer.ts';
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

interface Publication extends Pick<SendRequest, 'answerMs'> {
  readonly request: Omit<RecordedRequest, 'method'>;
  /** Resolves with the server's acknowledgement, for the record. It calls back when the message is on its way. */
  publish(sent: () => void): Promise<object | undefined>;
  /** The error codes of a kind; undefined: those of every connection. */
  classify(error: unknown): ErrorCode | undefined;
}

type Outcome = Pick<Attempt, 'errorCode' | 'responseBody'>;

/** Publishes once and records what came of it. Never rejects: whatever happens is the outcome. */
export async function publishOnce({
  request,
  answerMs,
  publish,
  classify,
}: Publication): Promise<SentMessage> {
  const startedAt = new Date();
  const started = performance.now();
  const late: Outcome = { errorCode: 'timeout', responseBody: undefined };
  const outcome = await awaitAnswer(answerMs, late, (sent) =>
    publish(sent).then(
      (receipt): Outcome => ({
        errorCode: undefined,
        responseBody: receipt && JSON.stringify(receipt),
      }),
      (error: unknown) => ({
        errorCode: classify(error) ?? classifyConnection(error),
        responseBody: describePublicly(error)?.slice(0, TEXT_MAX).replaceAll('\0', '\uFFFD'),
      }),
    ),
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

/** What the channel's owner may read: errors of ours and of the system name the address that a host resolves to. */
function describePublicly(error: unknown): string | undefined {
  for (let one = error, depth = 0; one instanceof Error && depth < 8; one = causeOf(one), depth += 1) {
    const code = 'code' in one ? String(one.code) : '';
    const told = one instanceof BaseError ? one.publicMessage : PUBLIC_MESSAGES[code];
    if (told !== undefined) return told;
    if (!(one instanceof BaseError) && /^E[A-Z]{3,}$/.test(code)) return `the connection failed: ${code}`;
  }
  return error instanceof Error ? error.message : undefined;
}

/** Of an error, which kafkajs keeps under a name of its own. */
export function causeOf(error: Error): unknown {
  return 'originalError' in error ? error.originalError : error.cause;
}

function classifyConnection(error: unknown): ErrorCode {
  if (error instanceof Error && error.name === 'NotAcknowledgedError') return 'not_acknowledged';
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  return classifyFailure(error);
}
