// SPDX-License-Identifier: Apache-2.0
import type { ErrorCode } from '../attempt.ts';
import { describeMessage, publishOnce } from '../broker/publish-once.ts';
import type { Sender } from '../sender.ts';
import { createNatsPublisher, type NatsPublisherOptions } from './create-nats-publisher.ts';
import type { NatsTarget } from './nats-config.ts';

/** Publishes the event's bytes to the customer's subject. */
export function createNatsSender(options: NatsPublisherOptions): Sender<NatsTarget> {
  const publisher = createNatsPublisher(options);
  return {
    send(request) {
      const { target, event, body, timeoutMs, answerMs } = request;
      const { url, subject } = target.config;
      const headers = describeMessage(request);
      const message = { subject, payload: body, messageId: event.eventId, headers };
      return publishOnce({
        request: { url, subject, headers: { 'Nats-Msg-Id': event.eventId, ...headers } },
        answerMs,
        async publish(sent) {
          const receipt = await publisher.publish(target, { ...message, sent }, timeoutMs);
          if (receipt.stream === undefined) return undefined;
          const { stream, sequence: seq, isDuplicate } = receipt;
          return { stream, seq, ...(isDuplicate && { duplicate: true }) };
        },
        classify: (error) => (error instanceof Error ? NAMES[error.name] : undefined),
      });
    },
    close: () => publisher.close(),
  };
}

/** `permission_denied`: the credentials may not publish to the subject. */
const NAMES: Readonly<Record<string, ErrorCode>> = {
  AuthorizationError: 'authentication_failed',
  UserAuthenticationExpiredError: 'authentication_failed',
  PermissionViolationError: 'permission_denied',
  ClosedConnectionError: 'connection_reset',
  DrainingConnectionError: 'connection_reset',
};
