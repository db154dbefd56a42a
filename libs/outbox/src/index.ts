/**
 * The outbox: rows of table events, written in the same transaction as what they tell, brought to the bus. Used by
 * tx-analyzer and balance-service.
 *
 * @example
 * const relay = new EventRelay({ db, bus, logger, subjects: ['balance.changed'], chainGids: () => owned });
 * const sequences = await allocateSequences(sql, chainGid, projectIds);
 * relay.publish(eventsOfTheTransactionThatHasJustCommitted);
 */
export { allocateSequences } from './allocate-sequences.ts';
export { EventRelay, type RelayDeps } from './event-relay.ts';
export { isNewEvent } from './is-new-event.ts';
export type { OutgoingEvent } from './read-unpublished.ts';
export { OWN_DATA_COLUMNS, ownDataOf, type OwnDataRow } from './own-data.ts';
export { withoutRepeats } from './without-repeats.ts';
