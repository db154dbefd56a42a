import type { Attempt, ErrorCode } from '../attempt.ts';
import type { NatsTarget } from '../channel-config.ts';
import { classifyFailure } from '../classify-failure.ts';
import type { DeliveryJob } from '../delivery-job.ts';
import type { NatsPublisher } from './create-nats-publisher.ts';

export interface SendNatsInput {
  readonly attemptId: string;
  readonly target: NatsTarget;
  readonly job: DeliveryJob;
  readonly traceparent: string | undefined;
  readonly publisher: NatsPublisher;
  readonly timeoutMs: number;
}

/** Publishes the event's bytes to the customer's subject. Never rejects: whatever happens is the attempt. */
export async function sendNats({
  attemptId,
  target,
  job,
  traceparent,
  publisher,
  timeoutMs,
}: SendNatsInput): Promise<Attempt> {
  const headers = {
    'X-Webhook-Event': job.eventType,
    'X-Webhook-Event-Id': job.eventId,
    'X-Webhook-Delivery-Id': attemptId,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  const startedAt = new Date();
  const started = performance.now();
  const recorded = {
    method: 'PUB',
    url: target.url,
    subject: target.subject,
    headers: { 'Nats-Msg-Id': job.eventId, ...headers },
  } as const;
  const outcome = await publish();
  return {
    id: attemptId,
    startedAt,
    durationMs: Math.round(performance.now() - started),
    statusCode: undefined,
    request: recorded,
    responseHeaders: undefined,
    retryAfterMs: undefined,
    ...outcome,
  };

  async function publish(): Promise<Pick<Attempt, 'errorCode' | 'responseBody'>> {
    try {
      const receipt = await publisher.publish(
        target,
        { subject: target.subject, payload: job.payload, messageId: job.eventId, headers },
        timeoutMs,
      );
      return {
        errorCode: undefined,
        responseBody:
          receipt.stream === undefined
            ? undefined
            : JSON.stringify({
                stream: receipt.stream,
                seq: receipt.sequence,
                ...(receipt.isDuplicate && { duplicate: true }),
              }),
      };
    } catch (error) {
      return {
        errorCode: classifyNatsFailure(error),
        responseBody: error instanceof Error ? error.message.slice(0, 1_000) : undefined,
      };
    }
  }
}

const NAMES: Readonly<Record<string, ErrorCode>> = {
  AuthorizationError: 'authentication_failed',
  UserAuthenticationExpiredError: 'authentication_failed',
  PermissionViolationError: 'permission_denied',
  NotAcknowledgedError: 'not_acknowledged',
  TimeoutError: 'timeout',
  ClosedConnectionError: 'connection_reset',
  DrainingConnectionError: 'connection_reset',
};

function classifyNatsFailure(error: unknown): ErrorCode {
  const known = error instanceof Error ? NAMES[error.name] : undefined;
  return known ?? classifyFailure(error);
}
