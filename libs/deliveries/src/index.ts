/**
 * Deliveries: which channels want an event, signed attempts by a schedule, the breaker of a channel, and the tables that
 * make it survive crashes. Used by the notifier; the gateway takes the channel's shape and the sender for test deliveries.
 *
 * @example
 * const members = shareChannels({ db, logger, onGain, onLoss });
 * const engine = createDeliveryEngine({ db, planned, dispatcher: agent, dial, open: sealer.open, logger, userAgent }, DEFAULT_DELIVERY_OPTIONS, members);
 * const dispatcher = createDispatcher({ db, planned, engine, logger });
 * await dispatcher.dispatch({ eventId, projectId }); // stored; the first attempts are under way
 */
export { createDeliveryEngine, type DeliveryEngine } from './create-delivery-engine.ts';
export { shareChannels, shareOf } from './channel-shares.ts';
export {
  createDispatcher,
  type Dispatcher,
  type EventGap,
  type EventRef,
} from './dispatch/create-dispatcher.ts';
export {
  DEFAULT_DELIVERY_OPTIONS,
  type DeliveryDependencies,
  type DeliveryLogger,
  type DeliveryOptions,
} from './delivery-options.ts';
export { DEFAULT_WEBHOOK_EVENT_TYPES, RESERVED_HEADERS } from './channel-config.ts';
export { uuidv7 } from './create-uuid-sequence.ts';
export { DEFAULT_RETRY_SCHEDULE_MS } from './retry-schedule.ts';
