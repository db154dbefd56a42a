// SPDX-License-Identifier: Apache-2.0
/**
 * The bus: NATS JetStream behind the row of the flow table that belongs to a service.
 * Used by every service. NATS is transport only: it may be restarted or wiped at any time.
 *
 * @example
 * const bus = await createBus('tx-analyzer', { ...natsOptionsOf(config), logger });
 * const stop = bus.consume(['block.new'], ['eip155:1'], { onMessage: ({ payload }) => push(payload), onOpen: readFeed });
 */
export type {
  Bus,
  BusMessage,
  ConsumeHandlers,
  OutgoingMessage,
  PublishOptions,
  StreamState,
} from './bus.ts';
export { BusUnavailableError } from './bus-unavailable-error.ts';
export { createBus, natsOptionsOf, type BusOptions } from './create-bus.ts';
export { createBusInBackground } from './create-bus-in-background.ts';
export { createNatsLogin } from './nats-login.ts';
