import type { Logger } from '@chainwatch/telemetry';
import type { NatsConnection } from '@nats-io/transport-node';

export interface ConnectionWatch {
  readonly isConnected: boolean;
  /** Called each time the server is back. Returns a function that removes the listener. */
  onReconnect(listener: () => void): () => void;
}

/** Follows the state of the connection until it is closed. */
export function watchConnection(
  connection: NatsConnection,
  logger: Pick<Logger, 'info' | 'warn'>,
): ConnectionWatch {
  const listeners = new Set<() => void>();
  const state = { isConnected: true };
  void follow();
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
        logger.warn({ server: status.server }, 'the connection to NATS was lost');
      } else if (status.type === 'reconnect') {
        state.isConnected = true;
        logger.info({ server: status.server }, 'the connection to NATS was restored');
        for (const listener of [...listeners]) listener();
      } else if (status.type === 'error') {
        logger.warn({ err: status.error }, 'NATS reported an error');
      }
    }
    state.isConnected = false;
  }
}
