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
export function parseMessage<K extends SubjectKind>(
  kind: K,
  message: Received,
  deliveryCount: number,
): BusMessage<K> {
  return { ...parseHead(kind, message), payload: message.json<PayloadOf<K>>(), deliveryCount };
}

/** The payload is parsed when it is looked at, and throws then: a hint often says enough by its subject. */
export function parseHint<K extends SubjectKind>(kind: K, message: Received): BusMessage<K> {
  const head = { ...parseHead(kind, message), deliveryCount: 1 };
  return Object.defineProperty(head, 'payload', {
    get: () => message.json<PayloadOf<K>>(),
    enumerable: true,
  }) as BusMessage<K>;
}

function parseHead<K extends SubjectKind>(
  kind: K,
  { subject, headers }: Received,
): Omit<BusMessage<K>, 'payload' | 'deliveryCount'> {
  return {
    kind,
    subject,
    tokens: subject.split('.').slice(2),
    messageId: headers?.get('Nats-Msg-Id') || undefined,
    traceparent: headers?.get('traceparent') || undefined,
  };
}
