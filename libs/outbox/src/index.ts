/**
 * The outbox: rows of table events, written in the same transaction as what they tell, brought to the bus. Used by
 * tx-analyzer and balance-service.
 *
 * @example
 * const relay = new EventRelay({ db, bus, logger, subjects: ['balance.changed'], chainGids: () => owned });
 * relay.publish(eventsOfTheTransactionThatHasJustCommitted);
 */
export { EventRelay, type OutgoingEvent, type OutboxSubject, type RelayDeps } from './event-relay.ts';
