import type { Logger } from '@chainwatch/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { BusUnavailableError } from './bus-unavailable-error.ts';
import { describeError } from './describe-error.ts';

export interface ConnectOptions {
  readonly servers: readonly string[];
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
  const { hosts, credentials } = splitCredentials(options.servers);
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await connect({
        ...credentials,
        servers: hosts,
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

/** The client takes user and password as options, operators write them into the URL. */
function splitCredentials(servers: readonly string[]): {
  hosts: string[];
  credentials: { user?: string; pass?: string; token?: string };
} {
  const urls = servers.map((server) => new URL(server.includes('://') ? server : `nats://${server}`));
  const hosts = urls.map((url) => `${url.protocol}//${url.host}`);
  const { username, password } = urls[0] ?? { username: '', password: '' };
  if (username === '') return { hosts, credentials: {} };
  if (password === '') return { hosts, credentials: { token: decodeURIComponent(username) } };
  return { hosts, credentials: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } };
}
