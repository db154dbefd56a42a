import type { MsgHdrs } from '@nats-io/transport-node';
import { SUBJECTS, type PayloadOf, type SubjectKind } from '@chainwatch/events';
import type { BusMessage } from './bus.ts';

interface Received {
  readonly subject: string;
  readonly headers?: MsgHdrs | undefined;
  json<T>(): T;
}

/** The kind that a subject's first two words name; undefined for one this version does not know. */
export function kindOf(subject: string): SubjectKind | undefined {
  const kind = subject.split('.', 2).join('.');
  return kind in SUBJECTS ? (kind as SubjectKind) : undefined;
}

/** @throws SyntaxError when the payload is not JSON */
export function parseMessage<K extends SubjectKind>(kind: K, message: Received, deliveryCount: number): BusMessage<K> {
  return {
    kind,
    subject: message.subject,
    tokens: message.subject.split('.').slice(2),
    payload: message.json<PayloadOf<K>>(),
    messageId: message.headers?.get('Nats-Msg-Id') || undefined,
    traceparent: message.headers?.get('traceparent') || undefined,
    deliveryCount,
  };
}
