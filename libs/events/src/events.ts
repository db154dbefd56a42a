// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import {
  balanceEvent,
  channelEvent,
  exampleBalance,
  exampleIn,
  readFailedFacts,
  transactionEvent,
} from './event-matters.ts';
import type { DefaultSelection, EventDefinition, EventFacts, EventMatter } from './event-definition.ts';

/** Subjects of the bus that carry events, by their first two words; a chain and a project follow. */
export const EVENT_SUBJECTS = {
  'tx.detected': 'A transaction touches a monitored address of the project.',
  'tx.progress': 'Such a transaction has more confirmations.',
  'tx.confirmed': 'Such a transaction was confirmed.',
  'tx.reorged': 'Such a transaction was reorganized out of the chain.',
  'balance.changed': 'The chain says that a monitored address has a new balance.',
} as const;
export type EventSubject = keyof typeof EVENT_SUBJECTS;

type Row = EventDefinition<z.ZodObject, EventSubject>;

/**
 * Every event type that customers can get. The only place that lists them: schemas, subjects, enums, defaults, documents,
 * and test messages are made from it.
 */
export const EVENTS = {
  'transaction.detected': {
    ...transactionEvent,
    subject: 'tx.detected',
    title: 'Transaction detected',
    summary: 'A transaction that touches a monitored address was detected',
    description: 'A transaction that touches a monitored address was seen, in the mempool or in a block.',
    defaultFor: ['payments', 'movements'],
    example: exampleIn('detected'),
  },
  'transaction.progress': {
    ...transactionEvent,
    subject: 'tx.progress',
    title: 'Transaction in progress',
    summary: 'Such a transaction has more confirmations',
    description:
      'Such a transaction has more confirmations (`confirmations` of `required_confirmations`): at most once per block, and only the newest number where the chain was behind. It is made only while a channel of the project asks for it, for at most 200 transactions of a project and block.',
    defaultFor: [],
    example: exampleIn('detected', 3),
  },
  'transaction.confirmed': {
    ...transactionEvent,
    subject: 'tx.confirmed',
    title: 'Transaction confirmed',
    summary: 'Such a transaction was confirmed',
    description:
      'Such a transaction was confirmed: its block is final, or it has the confirmations that the project waits for.',
    defaultFor: ['payments', 'movements'],
    example: exampleIn('confirmed'),
  },
  'transaction.reorged': {
    ...transactionEvent,
    subject: 'tx.reorged',
    title: 'Transaction undone by a reorganization',
    summary: 'Such a transaction was reorganized out of the chain',
    description: 'The block of such a transaction left the chain: undo what was done for it.',
    defaultFor: [],
    example: exampleIn('reorged'),
  },
  'transaction.failed': {
    ...transactionEvent,
    facts: readFailedFacts,
    subject: 'tx.detected',
    title: 'Transaction failed',
    summary: 'A transaction of a monitored address failed',
    description: 'A transaction of a monitored address failed: it moved nothing but its fee.',
    defaultFor: [],
    example: exampleIn('failed'),
  },
  'balance.changed': {
    ...balanceEvent,
    subject: 'balance.changed',
    title: 'Balance changed',
    summary: 'A monitored address has a new balance',
    description: 'A monitored address has a new balance.',
    // On by default where nobody has to ask for it (decisions.md 1.9).
    defaultFor: ['movements'],
    example: ({ id }) => exampleBalance(id()),
  },
  'channel.failed': {
    ...channelEvent,
    subject: undefined,
    title: 'Notification channel failed',
    summary: 'A notification channel of the project failed',
    description: 'A notification channel of the project was given up.',
    defaultFor: [],
    example: ({ at, id }) => ({
      channel: {
        id: id(),
        kind: 'webhook',
        name: 'Example',
        failed_at: at,
        failure_reason: 'the endpoint answered 410 Gone',
      },
    }),
  },
} as const satisfies Record<string, Row>;

export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]];

/** Types of events whose `data` is the same. */
export type TransactionEventType = {
  [T in EventType]: (typeof EVENTS)[T]['data'] extends (typeof transactionEvent)['data'] ? T : never;
}[EventType];

/** Event types that messages of a subject may have. */
export type EventTypeOn<S extends EventSubject> = {
  [T in EventType]: (typeof EVENTS)[T]['subject'] extends S ? T : never;
}[EventType];

export function defaultEventTypes(selection: DefaultSelection): EventType[] {
  return EVENT_TYPES.filter((type) => rowOf(type)!.defaultFor.includes(selection));
}

/** In the order of the table. */
export function eventTypesOn(subject: EventSubject): [EventType, ...EventType[]] {
  return EVENT_TYPES.filter((type) => EVENTS[type].subject === subject) as [EventType, ...EventType[]];
}

/** What the filters of channels look at; undefined: they do not apply. */
export function factsOf({
  type,
  data,
}: {
  readonly type: string;
  readonly data: object;
}): EventFacts | undefined {
  return rowOf(type)?.facts(data);
}

/** What an event is about; undefined for a type of a newer release. */
export function matterOf(type: string): EventMatter | undefined {
  return rowOf(type)?.matter;
}

/** Erased: the `data` of an event is what its own row describes. */
function rowOf(type: string): EventDefinition<z.ZodType, EventSubject> | undefined {
  const rows: Readonly<Record<string, EventDefinition<z.ZodType, EventSubject>>> = EVENTS;
  return Object.hasOwn(rows, type) ? rows[type] : undefined;
}

/** When an event is sent, in one sentence for those who choose among the types. */
export const EVENT_HINTS: Readonly<Record<EventType, string>> = {
  'transaction.detected': 'A transaction of a monitored address is seen, in the mempool or in a block.',
  'transaction.progress': 'A detected transaction gains confirmations, at most once per block.',
  'transaction.confirmed': 'A transaction is final, by your confirmation policy or by the chain.',
  'transaction.reorged': 'The block of a transaction left the chain: reverse what you credited.',
  'transaction.failed': 'A transaction of a monitored address failed and spent only its fee.',
  'balance.changed': 'The balance of a monitored address changed, with or without a transaction.',
  'channel.failed': 'Another channel of the project failed and holds its events.',
};
