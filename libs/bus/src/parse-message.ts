import type { MsgHdrs } from '@nats-io/transport-node';
import { SUBJECTS, type PayloadOf, type SubjectKind } from '@chainwatch/events';
import type { BusMessage } from './bus.ts';

interface Received {
  readonly subject: string;
  readonly headers?: MsgHdrs | undefined;
  json<T>(): T;
}

export const SEQUENCE_HEADER = 'sequence';
export const TYPE_HEADER = 'type';

/** The kind that a subject's first two words name; undefined for one this version does not know. */
export function kindOf(subject: string): SubjectKind | undefined {
  const kind = subject.split('.', 2).join('.');
  return kind in SUBJECTS ? (kind as SubjectKind) : undefined;
}

/** The payload is parsed when it is looked at, and throws then: subject and headers often say enough. */
export function parseMessage<K extends SubjectKind>(kind: K, message: Received): BusMessage<K> {
  const { subject, headers } = message;
  const sequence = Number(headers?.get(SEQUENCE_HEADER) || Number.NaN);
  return {
    kind,
    subject,
    tokens: subject.split('.').slice(2),
    messageId: headers?.get('Nats-Msg-Id') || undefined,
    traceparent: headers?.get('traceparent') || undefined,
    sequence: Number.isSafeInteger(sequence) ? sequence : undefined,
    type: headers?.get(TYPE_HEADER) || undefined,
    get payload() {
      return message.json<PayloadOf<K>>();
    },
  };
}
