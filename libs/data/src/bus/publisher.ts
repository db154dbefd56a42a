// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { histogram } from '@chainwatch/platform/telemetry';
import { JetStreamApiError, JetStreamError, type JetStreamClient, type PubAck } from '@nats-io/jetstream';
import { errors, headers as createHeaders, type MsgHdrs } from '@nats-io/transport-node';
import { SUBJECTS, subjectOf, type PayloadOf, type SubjectKind } from '@chainwatch/events';
import { SEQUENCE_HEADER, TYPE_HEADER, type OutgoingMessage, type PublishOptions } from './bus.ts';
import { BusUnavailableError } from './bus-unavailable-error.ts';
import { describeError } from './describe-error.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import type { StreamSet } from './stream-set.ts';

const seconds = histogram('chainwatch_nats_publish_seconds', {
  description: 'From when a message was sent until the stream had stored it.',
});
const TIMEOUT_MS = 5_000;
/** A stream that loses its leader answers nobody: the same id is sent again. */
const RESEND_MS = 1_000;
const SCHEMA_VERSION = '1';

export interface Publisher {
  publish<K extends SubjectKind>(kind: K, message: OutgoingMessage<PayloadOf<K>>): Promise<void>;
}

interface PublisherOptions {
  readonly client: JetStreamClient;
  readonly streams: StreamSet;
  readonly connection: ConnectionWatch;
  readonly isValidating: boolean;
}

/** Publishes concurrently on one connection: what was called first is stored first. */
export function createPublisher({ client, streams, connection, isValidating }: PublisherOptions): Publisher {
  return {
    async publish(kind, message) {
      const { tokens, payload } = message;
      const subject = publishSubject(kind, tokens);
      if (isValidating) SUBJECTS[kind].payload.parse(payload);
      const body = message.json ?? JSON.stringify(payload);
      const headers = messageHeaders(message);
      const sentAtMs = performance.now();
      const deadline = Date.now() + TIMEOUT_MS;
      for (let attempt = 0; ; attempt += 1) {
        try {
          const publishing = client.publish(subject, body, {
            msgID: message.messageId,
            headers,
            timeout: Math.max(Math.min(deadline - Date.now(), RESEND_MS), 1),
          });
          const stored = await unlessCut(publishing, connection);
          if (stored === undefined) continue;
          seconds.record((performance.now() - sentAtMs) / 1_000);
          return streams.noteStored(stored.stream, stored.seq);
        } catch (error) {
          if (!isWorthRepeating(error) || Date.now() >= deadline) throw unavailable(subject, error);
          if (isTimeout(error)) continue;
          // A wiped server has no stream for the subject, a starting one does not know its streams yet. One that
          // elects a leader does not say so: the next attempt does not wait for its answer.
          await Promise.race([streams.ensure().catch(() => undefined), delay(RESEND_MS)]);
          if (attempt > 0) await delay(Math.min(50 * 2 ** attempt, 500));
        }
      }
    },
  };
}

/** Undefined when the connection broke and came back meanwhile: the answer is lost, so the same id is sent again. */
function unlessCut(publishing: Promise<PubAck>, connection: ConnectionWatch): Promise<PubAck | undefined> {
  return new Promise((resolve, reject) => {
    const stopListening = connection.onReconnect(() => resolve(undefined));
    publishing.then(resolve, reject).finally(stopListening);
  });
}

function publishSubject(kind: SubjectKind, tokens: readonly string[]): string {
  const expected = SUBJECTS[kind].tokens;
  if (tokens.length !== expected.length) {
    throw new TypeError(
      `expected ${expected.length} tokens (${expected.join(', ')}) for ${kind}, got ${tokens.length}`,
    );
  }
  const bad = tokens.find((token) => !/^[^\s.*>]+$/.test(token));
  if (bad !== undefined)
    throw new TypeError(`expected a token without space, dot, * and > for ${kind}, got "${bad}"`);
  return subjectOf(kind, tokens);
}

function messageHeaders(options: PublishOptions): MsgHdrs {
  const headers = createHeaders();
  headers.set('schema', SCHEMA_VERSION);
  if (options.traceparent !== undefined) headers.set('traceparent', options.traceparent);
  if (options.sequence !== undefined) headers.set(SEQUENCE_HEADER, String(options.sequence));
  if (options.type !== undefined) headers.set(TYPE_HEADER, options.type);
  return headers;
}

const isTimeout = (error: unknown): boolean => error instanceof errors.TimeoutError;

/** Not stored, or nobody knows: no stream, no leader, no answer. */
function isWorthRepeating(error: unknown): boolean {
  if (isTimeout(error)) return true;
  if (error instanceof errors.NoRespondersError) return true;
  if (error instanceof JetStreamApiError) return error.status === 404 || error.status === 503;
  // The client's word for "no responders" on a publish; it does not export that class.
  return error instanceof JetStreamError || (error instanceof Error && error.name === 'JetStreamNotEnabled');
}

function unavailable(subject: string, error: unknown): BusUnavailableError {
  return new BusUnavailableError(
    `NATS did not store a message on ${subject} within ${TIMEOUT_MS} ms: ${describeError(error)}`,
    error,
  );
}
