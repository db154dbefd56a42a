/**
 * Subjects of the bus, schemas of their payloads, the event envelope that customers get, and the table of who produces
 * and consumes what. Used by every service.
 *
 * @example
 * const subject = subjectOf('tx.detected', [chainGid, projectId]);
 */
export { balanceChangeRecord, EVENT_SCHEMAS, transactionRecord, transferRecord } from './event-records.ts';
export type {
  BalanceChangeRecord,
  EventEnvelope,
  EventType,
  TransactionRecord,
  TransferRecord,
} from './event-records.ts';
export * from './subjects.ts';
export * from './flow.ts';
export * from './subject-of.ts';
export * from './event-id.ts';
