// SPDX-License-Identifier: Apache-2.0
import type { EventEnvelope, EVENTS, TransactionEventType } from '@chainwatch/events';
import type { TransactionState } from './transaction-state.ts';

export type TransactionEvent = EventEnvelope<TransactionEventType>;

/** An event that a step will write; it has no sequence yet. */
export interface PlannedEvent {
  readonly type: TransactionEventType;
  readonly state: TransactionState;
  readonly traceparent?: string;
}

/** A row of the table of events. */
export interface StoredEvent {
  readonly eventId: string;
  readonly projectId: string;
  readonly chainGid: string;
  readonly type: TransactionEventType;
  /** `history`: it is not published, and has no sequence. */
  readonly subject: (typeof EVENTS)[TransactionEventType]['subject'] | 'history';
  readonly sequence: number | null;
  readonly transactionId: string;
  readonly envelope: TransactionEvent;
  /** The exact bytes every channel gets. */
  readonly payload: string;
  readonly traceparent?: string;
}

/** A row of the outbox. */
export interface OutboxEvent extends StoredEvent {
  readonly subject: (typeof EVENTS)[TransactionEventType]['subject'];
  readonly sequence: number;
}
