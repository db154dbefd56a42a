// SPDX-License-Identifier: Apache-2.0
/**
 * Event types and their envelope, records that events and the API share, subjects of the bus with their payloads, and the
 * table of who produces and consumes what. Used by every service.
 *
 * @example
 * const subject = subjectOf('tx.detected', [chainGid, projectId]);
 * const event = EVENT_SCHEMAS['transaction.detected'].parse(JSON.parse(payload));
 */
export {
  balanceChangeRecord,
  CHANGE_REASONS,
  transactionRecord,
  transferRecord,
  VERIFICATIONS,
} from './event-records.ts';
export type {
  BalanceChangedData,
  BalanceChangeRecord,
  ChangeReason,
  ChannelFailedData,
  ConcernedAddressRecord,
  TransactionData,
  TransactionRecord,
  TransferRecord,
} from './event-records.ts';
export { inclusionProofRecord, type InclusionProofRecord } from './proof-records.ts';
export { describeAddresses, EVENT_ITEMS_MAX } from './describe-addresses.ts';
export type { ConcernedAddress, OwnData } from './describe-addresses.ts';
export type { DefaultSelection } from './event-definition.ts';
export {
  defaultEventTypes,
  EVENT_HINTS,
  EVENT_SUBJECTS,
  EVENT_TYPES,
  EVENTS,
  eventTypesOn,
  factsOf,
  matterOf,
} from './events.ts';
export type { EventSubject, EventType, TransactionEventType } from './events.ts';
export { EVENT_SCHEMAS } from './event-envelope.ts';
export { ANY_SHAPE, eventShape, isEventPath, type EventShape, type ValueKind } from './event-shape.ts';
export type { EventEnvelope } from './event-envelope.ts';
export * from './subjects.ts';
export * from './flow.ts';
export * from './subject-of.ts';
export * from './event-id.ts';
