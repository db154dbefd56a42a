// SPDX-License-Identifier: Apache-2.0
import { counter, gauge, type Logger } from '@chainwatch/platform/telemetry';
import type { NatsConnection } from '@nats-io/transport-node';

export interface ConnectionWatch {
  readonly isConnected: boolean;
  /** Called each time the server is back. Returns a function that removes the listener. */
  onReconnect(listener: () => void): () => void;
}

const connected = gauge('chainwatch_nats_connected', { description: '1 while NATS answers this process.' });
const reconnects = counter('chainwatch_nats_reconnects_total', {
  description: 'Times that the connection to NATS came back.',
});
const roundTrip = gauge('chainwatch_nats_rtt_seconds', {
  description: 'Round trip to the NATS server, as last measured.',
});
const MEASURE_MS = 10_000;

/** Nobody answers yet. */
export function noteDisconnected(): void {
  connected.set(0);
  roundTrip.forget();
}

/** Follows the state of the connection until it is closed. */
export function watchConnection(
  connection: NatsConnection,
  logger: Pick<Logger, 'info' | 'warn'>,
): ConnectionWatch {
  const listeners = new Set<() => void>();
  const state = { isConnected: true };
  connected.set(1);
  void follow();
  const measuring = setInterval(() => void measure(), MEASURE_MS);
  measuring.unref();
  void measure();
  return {
    get isConnected() {
      return state.isConnected;
    },
    onReconnect(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

  async function follow(): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        state.isConnected = false;
        noteDisconnected();
        logger.warn({ server: status.server }, 'the connection to NATS was lost');
      } else if (status.type === 'reconnect') {
        state.isConnected = true;
        connected.set(1);
        reconnects.add();
        logger.info({ server: status.server }, 'the connection to NATS was restored');
        for (const listener of [...listeners]) listener();
      } else if (status.type === 'error') {
        logger.warn({ err: status.error }, 'NATS reported an error');
      }
    }
    clearInterval(measuring);
    state.isConnected = false;
    noteDisconnected();
  }

  async function measure(): Promise<void> {
    if (!state.isConnected) return;
    const ms = await connection.rtt().catch(() => undefined);
    if (ms !== undefined && state.isConnected) roundTrip.set(ms / 1_000);
  }
}
