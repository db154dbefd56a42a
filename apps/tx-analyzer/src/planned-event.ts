import type { TransactionEvent, TransactionEventType } from './build-event.ts';
import type { TransactionState } from './transaction-state.ts';

export type TransactionSubject = 'tx.detected' | 'tx.confirmed' | 'tx.reorged';

/** An event that a step is to make; it has no sequence yet. */
export interface PlannedEvent {
  readonly type: TransactionEventType;
  readonly state: TransactionState;
  readonly traceparent?: string;
}

/** A row of the outbox. */
export interface OutboxEvent {
  readonly eventId: string;
  readonly projectId: string;
  readonly chainGid: string;
  readonly type: TransactionEventType;
  readonly subject: TransactionSubject;
  readonly sequence: number;
  readonly transactionId: string;
  readonly envelope: TransactionEvent;
  /** The exact bytes every channel gets. */
  readonly payload: string;
  readonly traceparent?: string;
}

export const SUBJECT_OF: Readonly<Record<TransactionEventType, TransactionSubject>> = {
  'transaction.detected': 'tx.detected',
  'transaction.failed': 'tx.detected',
  'transaction.confirmed': 'tx.confirmed',
  'transaction.reorged': 'tx.reorged',
};
