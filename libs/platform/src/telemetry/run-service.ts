// SPDX-License-Identifier: Apache-2.0
import { levels } from 'pino';
import { createLogger, type ServiceLogger } from './create-logger.ts';
import { startHealthServer, type HealthServer, type HealthServerOptions } from './start-health-server.ts';
import type { Telemetry } from './start-telemetry.ts';

export interface RunningService {
  /** Of the server with `/healthz`, `/readyz`, and `/metrics`, which is started then, and stopped after the service. */
  readonly health?: Pick<HealthServerOptions, 'port' | 'host' | 'checks'>;
  /** Stopped last. */
  readonly telemetry?: Telemetry;
  /** Finishes what is under way and releases everything. Meanwhile `/readyz` tells that the service stops. */
  stop(): Promise<void>;
  /** How long stop() goes on serving on purpose; it is added to the stop time-out. Default 0. */
  readonly drainMs?: number;
}

export interface RunServiceOptions {
  readonly name: string;
  /** What its log must not show: see createLogger. */
  readonly hides?: readonly RegExp[];
  /** The signal is aborted if the service is to stop before it has started: waits of the start end then. */
  readonly start: (logger: ServiceLogger, signal: AbortSignal) => Promise<RunningService>;
  /** Default: one with LOG_LEVEL. */
  readonly logger?: ServiceLogger;
  /** After this time the end is forced. Default 20,000. */
  readonly stopTimeoutMs?: number;
}

/**
 * The frame of every main.ts: starts the service and its health server, stops both on SIGTERM and SIGINT, and ends the
 * process with status 1 when the start fails or an error escapes, because a service in an unknown state is restarted, not
 * trusted.
 */
export async function runService({
  name,
  hides = [],
  start,
  logger = createLogger({ service: name, level: readLogLevel(), hides }),
  stopTimeoutMs = 20_000,
}: RunServiceOptions): Promise<void> {
  const die = (error: unknown, message: string): void => {
    logger.fatal({ err: error }, message);
    process.exit(1);
  };
  process.on('unhandledRejection', (error) => die(error, 'an error was not handled: the service ended'));
  process.on('uncaughtException', (error) => die(error, 'an error was not handled: the service ended'));
  const starting = new AbortController();
  let isStopping = false;
  let running: Running | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    // Ctrl-C reaches the whole process group, and then the supervisor signals again. So a second signal
    // forces nothing; only the deadline does.
    if (isStopping) return;
    isStopping = true;
    logger.info({ signal }, 'the service was asked to stop');
    starting.abort();
    const limitMs = stopTimeoutMs + (running?.service.drainMs ?? 0);
    setTimeout(
      () => die(undefined, `the service did not stop within ${limitMs} ms and was ended`),
      limitMs,
    ).unref();
    void finish(running, logger, die);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  try {
    const service = await start(logger, starting.signal);
    running = { service, health: await serveHealth(service, logger) };
  } catch (error) {
    if (isStopping) {
      logger.info({}, 'the service was stopped before it had started');
      process.exit(0);
    }
    // Errors of the configuration are written for people: no stack.
    if ((error as { code?: string }).code === 'config_invalid')
      process.stderr.write(`${(error as Error).message}\n`);
    return die(error, 'service failed to start');
  }
  if (isStopping) return finish(running, logger, die);
  logger.info({}, 'the service was started');
}

/** A wrong level is told with all other wrong variables, once the configuration is read. */
function readLogLevel(): string {
  const level = process.env.LOG_LEVEL ?? '';
  return level === 'silent' || Object.hasOwn(levels.values, level) ? level : 'info';
}

interface Running {
  readonly service: RunningService;
  readonly health: HealthServer | undefined;
}

async function serveHealth(
  { health, telemetry }: RunningService,
  logger: ServiceLogger,
): Promise<HealthServer | undefined> {
  if (health === undefined) return undefined;
  const metrics = telemetry && { metrics: telemetry.handleMetrics };
  const server = await startHealthServer({ ...health, ...metrics });
  logger.info({ health_port: server.port }, 'health and metrics were served');
  return server;
}

async function finish(
  running: Running | undefined,
  logger: ServiceLogger,
  die: (error: unknown, message: string) => void,
): Promise<void> {
  // Still starting: the service is stopped as soon as it has started.
  if (running === undefined) return;
  const { service, health } = running;
  try {
    health?.drain();
    await service.stop();
    await health?.stop();
    await service.telemetry?.stop();
    logger.info({}, 'the service was stopped');
    process.exit(0);
  } catch (error) {
    die(error, 'the service did not stop in order');
  }
}
