// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@chainwatch/platform/telemetry';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { subjectOf, type FlowService, type SubjectKind } from '@chainwatch/events';
import type { Bus, ConsumeHandlers } from './bus.ts';
import { BusUnavailableError } from './bus-unavailable-error.ts';
import { describeError } from './describe-error.ts';
import { silentLogger } from './silent-logger.ts';
import { createNatsLogin, hostOf, type NatsFiles } from './nats-login.ts';
import { noteDisconnected, watchConnection, type ConnectionWatch } from './connection-watch.ts';
import { filterOf } from './consumer-filter.ts';
import { kindOf, OrderedConsumer, parseMessage, type OrderedConsumerDeps } from './ordered-consumer.ts';
import { createPublisher } from './publisher.ts';
import { createStreamSet, type StreamSet } from './stream-set.ts';

export interface BusOptions {
  /** One URL, or several with commas between: `nats://user:password@host:4222`. */
  readonly url?: string;
  readonly servers?: readonly string[];
  /** Logins and certificates that are no part of a URL. */
  readonly files?: NatsFiles | undefined;
  /** Shown by the server's monitoring. Default: the service. */
  readonly name?: string;
  readonly logger?: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** How long the start waits for a server that is not up yet. Default 15,000. */
  readonly waitMs?: number;
  /** Aborts the start. */
  readonly signal?: AbortSignal;
  /**
   * Replicas of each stream, applied at every start. Default: 1 for new streams; existing ones keep what they have.
   */
  readonly replicas?: number | undefined;
  /** Checks every payload against its schema before it is published. For tests. */
  readonly isValidating?: boolean;
}

const CHECK_MS = 10_000;
/** Of the server to a question about streams and consumers: one whose leader is lost gives none. */
const ANSWER_MS = 2_000;
const CLOSE_MS = 2_000;

/**
 * Connects a service to the bus and makes the streams.
 * @throws BusUnavailableError when NATS did not answer within `waitMs`
 */
export async function createBus<S extends FlowService>(service: S, options: BusOptions): Promise<Bus<S>> {
  const { logger = silentLogger, waitMs = 15_000, replicas, signal } = options;
  const servers = options.servers ?? (options.url ?? 'nats://127.0.0.1:4222').split(',');
  const startedAt = Date.now();
  const { files, name = service } = options;
  noteDisconnected();
  const connection = await connectNats({ servers, files, name, waitMs, logger, signal });
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: ANSWER_MS });
  const streams = createStreamSet({ manager, replicas, logger });
  await ensureAtStart(connection, streams, {
    waitMs: Math.max(startedAt + waitMs - Date.now(), 1_000),
    signal,
  });
  await streams.keepReplicas();
  const watch = watchConnection(connection, logger);
  const stopChecking = keepStreams({ streams, watch, logger });
  const client = jetstream(connection, { timeout: ANSWER_MS });
  const { publish } = createPublisher({
    client,
    streams,
    connection: watch,
    isValidating: options.isValidating ?? false,
  });
  const consumers = new Consumers({ client, streams, connection: watch, logger, owner: service });
  return {
    publish,
    consume: (kinds, tokens, handlers) =>
      consumers.start(kinds, tokens, handlers as ConsumeHandlers<SubjectKind>),
    subscribe: subscribeOn(connection, logger),
    get isConnected() {
      return watch.isConnected;
    },
    streamState: streams.stateOf,
    readStream: streams.read,
    onStreamsRecreated(listener) {
      // This start had to create these streams: listeners must hear of it, because older messages may be
      // lost.
      for (const stream of streams.fresh) queueMicrotask(() => listener(stream));
      return streams.onRecreated(listener);
    },
    async close() {
      stopChecking();
      await consumers.stop();
      // A silent server does not delay our end.
      if (watch.isConnected)
        await Promise.race([
          connection.drain().catch(() => undefined),
          delay(CLOSE_MS, undefined, { ref: false }),
        ]);
      await connection.close();
    },
  };
}

interface KeepDeps {
  readonly streams: StreamSet;
  readonly watch: ConnectionWatch;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** Creates lost streams again after each reconnection and every 10 s, because a store can be wiped unnoticed. */
function keepStreams({ streams, watch, logger }: KeepDeps): () => void {
  const check = (): void =>
    void streams.ensure().catch((err: unknown) => logger.warn({ err }, 'failed to check streams'));
  watch.onReconnect(check);
  const timer = setInterval(() => watch.isConnected && check(), CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** The consumers of this process, to be stopped with it. */
class Consumers {
  readonly #deps: OrderedConsumerDeps;
  readonly #running = new Set<OrderedConsumer<SubjectKind>>();

  constructor(deps: OrderedConsumerDeps) {
    this.#deps = deps;
  }

  /** Returns a function that stops the consumer. */
  start(
    kinds: Parameters<typeof filterOf>[0],
    tokens: readonly string[],
    handlers: ConsumeHandlers<SubjectKind>,
  ): () => Promise<void> {
    const consumer = new OrderedConsumer<SubjectKind>(this.#deps, {
      ...handlers,
      kinds: new Set(kinds),
      filter: filterOf(kinds, tokens),
    });
    this.#running.add(consumer);
    return async () => {
      await consumer.stop();
      this.#running.delete(consumer);
    };
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running].map((consumer) => consumer.stop()));
  }
}

/** Hears hints: messages that are not stored. */
function subscribeOn(
  connection: NatsConnection,
  logger: Pick<Logger, 'info' | 'warn' | 'error'>,
): Bus<FlowService>['subscribe'] {
  return (kind, tokens, handler) => {
    const subscription = connection.subscribe(subjectOf(kind, tokens), {
      callback: (error, message) => {
        if (error !== null || kindOf(message.subject) !== kind) return;
        try {
          handler(parseMessage(kind, message));
        } catch (err) {
          logger.error({ subject: message.subject, err }, 'hint was not handled');
        }
      },
    });
    return () => subscription.unsubscribe();
  };
}

/** A server that just started answers "no responders" for a moment; one without JetStream does so for ever. */
async function ensureAtStart(
  connection: NatsConnection,
  streams: StreamSet,
  { waitMs, signal }: Pick<BusOptions, 'signal'> & { readonly waitMs: number },
): Promise<void> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    try {
      return await streams.ensure();
    } catch (error) {
      if (Date.now() < deadline && signal?.aborted !== true) {
        await delay(200);
        continue;
      }
      await connection.close();
      throw new BusUnavailableError(
        `NATS at ${connection.getServer()} does not keep streams (${describeError(error)}): start it with JetStream on, nats-server -js.`,
        error,
      );
    }
  }
}

interface ConnectOptions {
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
async function connectNats(options: ConnectOptions): Promise<NatsConnection> {
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

/** The variables of a service's connection to NATS, as `NATS_VARIABLES` of @chainwatch/platform/config picks them. */
export interface NatsVariables {
  readonly NATS_URL: string;
  readonly NATS_REPLICAS?: number | undefined;
  readonly NATS_CREDS_FILE?: string | undefined;
  readonly NATS_NKEY_SEED_FILE?: string | undefined;
  readonly NATS_CA_FILE?: string | undefined;
  readonly NATS_CERT_FILE?: string | undefined;
  readonly NATS_KEY_FILE?: string | undefined;
}

/** How `createBus` connects with what a service's configuration says. */
export function natsOptionsOf(config: NatsVariables): Pick<BusOptions, 'url' | 'replicas' | 'files'> {
  return {
    url: config.NATS_URL,
    replicas: config.NATS_REPLICAS,
    files: {
      credsFile: config.NATS_CREDS_FILE,
      nkeySeedFile: config.NATS_NKEY_SEED_FILE,
      caFile: config.NATS_CA_FILE,
      certFile: config.NATS_CERT_FILE,
      keyFile: config.NATS_KEY_FILE,
    },
  };
}
