// SPDX-License-Identifier: Apache-2.0
/**
 * Deliveries: which channels want an event, signed attempts by a schedule, the breaker of a channel, and the tables that
 * make it survive crashes. Used by the notifier. See README.md.
 *
 * @example
 * const members = shareChannels({ db, logger, onGain, onLoss });
 * const engine = createDeliveryEngine({ db, planned, http, dial, open: sealer.open, logger, userAgent }, {}, members);
 * engine.ring(); // events have come: their deliveries are made, and sent
 */
export { createDeliveryEngine, type DeliveryEngine } from './create-delivery-engine.ts';
export { shareChannels } from './channel-shares.ts';
export {
  DEFAULT_DELIVERY_OPTIONS,
  type DeliveryDependencies,
  type DeliveryOptions,
} from './delivery-options.ts';
export type { Rehearsal } from './rehearsal.ts';
export { DEFAULT_RETRY_SCHEDULE_MS } from './record/decide-outcome.ts';
