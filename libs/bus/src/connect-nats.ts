// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { BusUnavailableError } from './bus-unavailable-error.ts';
import { describeError } from './describe-error.ts';
import { createNatsLogin, hostOf, type NatsFiles } from './nats-login.ts';

export interface ConnectOptions {
  /** URLs; each may have its own user and password, or token. */
  readonly servers: readonly string[];
  readonly files?: NatsFiles | undefined;
  readonly name: string;
  /** How long to wait for a server that is not up yet. */
  readonly waitMs: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * A connection that reconnects for ever.
 * @throws BusUnavailableError when no server answered within `waitMs`
 */
export async function connectNats(options: ConnectOptions): Promise<NatsConnection> {
  const deadline = Date.now() + options.waitMs;
  const login = createNatsLogin(options.servers, options.files ?? {});
  const hosts = [login.servers ?? []].flat();
  for (let attempt = 0; ; attempt += 1) {
    try {
      const connection = await connect({
        ...login,
        name: options.name,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 200,
        reconnectJitter: 200,
        timeout: 2_000,
        // A server that hangs is given up after two pings without an answer.
        pingInterval: 4_000,
        maxPingOut: 2,
        // Credentials may be rotated while we run; keep trying.
        ignoreAuthErrorAbort: true,
        // The client would take two stack traces per publish in case it fails; they cost more than the
        // publish.
        noAsyncTraces: true,
      });
      keepServers(connection, hosts);
      return connection;
    } catch (error) {
      if (Date.now() >= deadline || options.signal?.aborted === true) {
        throw new BusUnavailableError(
          `NATS did not answer at ${hosts.join(', ')} within ${options.waitMs} ms (${describeError(error)}): start nats-server with -js, or set NATS_URL to one that runs.`,
          error,
        );
      }
      if (attempt === 0) options.logger.warn({ servers: hosts, err: error }, 'NATS did not answer, retrying');
      await delay(Math.min(100 * 2 ** attempt, 1_000), undefined, { signal: options.signal }).catch(
        () => undefined,
      );
    }
  }
}

/** The client drops a server that was away at its first connection, and would never come back to it. */
function keepServers(connection: NatsConnection, servers: readonly string[]): void {
  const kept = connection.getServers();
  const known = new Set(kept.map(hostOf));
  const dropped = servers.map((server) => new URL(server)).filter((url) => !known.has(hostOf(url)));
  if (dropped.length > 0)
    connection.setServers([...kept.map(({ listen }) => listen), ...dropped.map(({ host }) => host)]);
}
