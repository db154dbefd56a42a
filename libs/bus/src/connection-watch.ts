import type { NatsConnection } from '@nats-io/transport-node';
import type { BusLogger } from './bus-logger.ts';

export interface ConnectionWatch {
  readonly isConnected: boolean;
  /** Grows with every lost connection. */
  readonly generation: number;
}

/** Follows the state of the connection until it is closed; `onReconnect` runs each time the server is back. */
export function watchConnection(connection: NatsConnection, onReconnect: () => void, logger: BusLogger): ConnectionWatch {
  const state = { isConnected: true, generation: 0 };
  void follow(connection, state, onReconnect, logger);
  return state;
}

async function follow(connection: NatsConnection, state: { isConnected: boolean; generation: number }, onReconnect: () => void, logger: BusLogger): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'disconnect') {
      state.isConnected = false;
      state.generation += 1;
      logger.warn({ server: status.server }, 'the connection to NATS was lost');
    } else if (status.type === 'reconnect') {
      state.isConnected = true;
      logger.info({ server: status.server }, 'the connection to NATS is back');
      onReconnect();
    } else if (status.type === 'error') {
      logger.warn({ error: status.error.message }, 'NATS reported an error');
    }
  }
  state.isConnected = false;
}
