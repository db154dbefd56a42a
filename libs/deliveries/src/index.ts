/**
 * Deliveries: which channels want an event, signed attempts by a schedule, the breaker of a channel, and the tables that
 * make it survive crashes. Used by the notifier. See README.md.
 *
 * @example
 * const members = shareChannels({ db, logger, onGain, onLoss });
 * const engine = createDeliveryEngine({ db, planned, dispatcher: agent, dial, open: sealer.open, logger, userAgent }, {}, members);
 * await engine.dispatcher.dispatch({ eventId, projectId }); // stored; the first attempts are under way
 */
export { createDeliveryEngine, type DeliveryEngine } from './create-delivery-engine.ts';
export { shareChannels } from './channel-shares.ts';
export type { Dispatcher } from './dispatch/dispatcher.ts';
export type { EventRef } from './dispatch/event-ref.ts';
export type { EventGap } from './queue/list-events-in-gaps.ts';
export {
  DEFAULT_DELIVERY_OPTIONS,
  type DeliveryDependencies,
  type DeliveryOptions,
} from './delivery-options.ts';
export { DEFAULT_RETRY_SCHEDULE_MS } from './retry-schedule.ts';
