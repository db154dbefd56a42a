// SPDX-License-Identifier: Apache-2.0
/**
 * The outbox: rows of table events, written in the same transaction as what they tell, brought to the bus. Used by
 * tx-analyzer and balance-service.
 *
 * @example
 * const relay = new EventRelay({ db, bus, logger, subjects: ['balance.changed'], chainGids: () => owned });
 * const sequences = await allocateSequences(sql, chainGid, projectIds);
 * relay.publish(eventsOfTheTransactionThatHasJustCommitted);
 */
export {
  allocateSequences,
  isNewEvent,
  OWN_DATA_COLUMNS,
  ownDataOf,
  withoutRepeats,
  type OwnDataRow,
} from './event-rows.ts';
export { EventRelay, type RelayDeps } from './event-relay.ts';
export type { OutgoingEvent } from './read-unpublished.ts';
