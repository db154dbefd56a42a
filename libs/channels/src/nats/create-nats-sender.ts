import type { Attempt, ErrorCode } from '../attempt.ts';
import { classifyFailure } from '../http/classify-failure.ts';
import type { SendRequest, Sender, SentMessage } from '../sender.ts';
import {
  createNatsPublisher,
  type NatsPublisher,
  type NatsPublisherOptions,
} from './create-nats-publisher.ts';
import type { NatsTarget } from './nats-config.ts';

/** Publishes the event's bytes to the customer's subject. Never rejects: whatever happens is the outcome. */
export function createNatsSender(options: NatsPublisherOptions): Sender<NatsTarget> {
  const publisher = createNatsPublisher(options);
  return { send: (request) => send(publisher, request), close: () => publisher.close() };
}

async function send(
  publisher: NatsPublisher,
  { target, attemptId, event, body, traceparent, timeoutMs }: SendRequest<NatsTarget>,
): Promise<SentMessage> {
  const { url, subject } = target.config;
  const headers = {
    'X-Webhook-Event': event.eventType,
    'X-Webhook-Event-Id': event.eventId,
    'X-Webhook-Delivery-Id': attemptId,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  const startedAt = new Date();
  const started = performance.now();
  const outcome = await publish();
  return {
    startedAt,
    durationMs: Math.round(performance.now() - started),
    statusCode: undefined,
    request: { method: 'PUB', url, subject, headers: { 'Nats-Msg-Id': event.eventId, ...headers } },
    responseHeaders: undefined,
    retryAfterMs: undefined,
    ...outcome,
  };

  async function publish(): Promise<Pick<Attempt, 'errorCode' | 'responseBody'>> {
    try {
      const receipt = await publisher.publish(
        target,
        { subject, payload: body, messageId: event.eventId, headers },
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

/** `permission_denied`: the credentials may not publish to the subject; `not_acknowledged`: a stream takes the subject, but did not say that it stored the message. */
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
