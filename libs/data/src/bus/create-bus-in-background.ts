// SPDX-License-Identifier: Apache-2.0
import type { FlowService } from '@chainwatch/events';
import type { Bus } from './bus.ts';
import { silentLogger } from './silent-logger.ts';
import { BusUnavailableError } from './bus-unavailable-error.ts';
import { createBus, type BusOptions } from './create-bus.ts';

/** The part of the bus that works before the connection is there. */
export type PatientBus<S extends FlowService> = Pick<
  Bus<S>,
  'publish' | 'subscribe' | 'isConnected' | 'close'
>;

/**
 * For services whose messages are hints: starts at once and keeps trying to connect. Until NATS is there nothing
 * arrives, `publish` rejects with `BusUnavailableError`, and subscriptions wait.
 */
export function createBusInBackground<S extends FlowService>(
  service: S,
  options: Omit<BusOptions, 'waitMs' | 'signal'>,
): PatientBus<S> {
  const { logger = silentLogger } = options;
  const closing = new AbortController();
  const waiting = new Set<(bus: Bus<S>) => void>();
  let bus: Bus<S> | undefined;
  const connecting = createBus(service, {
    ...options,
    waitMs: Number.POSITIVE_INFINITY,
    signal: closing.signal,
  }).then(
    (connected) => {
      bus = connected;
      for (const start of waiting) start(connected);
      waiting.clear();
    },
    (err: unknown) => {
      if (!closing.signal.aborted) logger.error({ err }, 'failed to use NATS with this configuration');
    },
  );
  return {
    publish: async (...args) => {
      if (bus === undefined) throw new BusUnavailableError('NATS did not answer yet');
      await bus.publish(...args);
    },
    subscribe(kind, tokens, handler) {
      let end: (() => void) | undefined;
      const start = (connected: Bus<S>): void => {
        end = connected.subscribe(kind, tokens, handler);
      };
      if (bus === undefined) waiting.add(start);
      else start(bus);
      return () => {
        waiting.delete(start);
        end?.();
      };
    },
    get isConnected() {
      return bus?.isConnected ?? false;
    },
    async close() {
      closing.abort();
      await connecting;
      await bus?.close();
    },
  };
}
