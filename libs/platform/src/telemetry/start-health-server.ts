// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { hideUrlCredentials } from './hide-secrets.ts';
import { notOk, type Checks } from './health-checks.ts';

export interface HealthServerOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** Default: every interface. */
  readonly host?: string;
  /** What this service needs to do its work. */
  readonly checks: () => Checks | Promise<Checks>;
  /** Checks of what only a restart can mend, such as a stuck loop. Default: none. */
  readonly liveness?: () => Checks | Promise<Checks>;
  readonly metrics?: (req: IncomingMessage, res: ServerResponse) => void;
  /** The process is reported as not alive when its event loop was blocked for longer than this. Default 10,000. */
  readonly eventLoopDelayMsMax?: number;
}

export interface HealthServer {
  readonly port: number;
  /** From now on /readyz says not ready, whatever the checks say. */
  drain(): void;
  stop(): Promise<void>;
}

const CHECK_MS = 5_000;

/** `GET /healthz` (restart me), `/readyz` (send me work) and `/metrics`. */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const delays = monitorEventLoopDelay({ resolution: 50 });
  delays.enable();
  const readLiveness = async (): Promise<Checks> => {
    const delayMs = Math.round(delays.max / 1e6);
    delays.reset();
    const stuck: Checks =
      delayMs > (options.eventLoopDelayMsMax ?? 10_000)
        ? { event_loop: notOk(`stood still for ${delayMs} ms`) }
        : {};
    return { ...stuck, ...(await options.liveness?.()) };
  };
  let isDraining = false;
  const readReadiness = (): Checks | Promise<Checks> =>
    isDraining ? { drain: notOk('the service stops') } : options.checks();
  const server = createServer((req, res) => {
    const path = req.url?.split('?', 1)[0];
    if (req.method !== 'GET' && req.method !== 'HEAD')
      return void res.writeHead(405, { allow: 'GET, HEAD' }).end();
    if (path === '/healthz') return void answer(res, readLiveness, 'failing');
    if (path === '/readyz') return void answer(res, readReadiness, 'not_ready');
    if (path === '/metrics' && options.metrics !== undefined) return options.metrics(req, res);
    res.writeHead(404).end();
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    drain: () => void (isDraining = true),
    async stop() {
      delays.disable();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  res: ServerResponse,
  read: () => Checks | Promise<Checks>,
  failure: string,
): Promise<void> {
  const checks = await readInTime(read);
  const isOk = Object.values(checks).every((check) => check === undefined || check.ok);
  const body = JSON.stringify({ status: isOk ? 'ok' : failure, checks });
  // Reasons come from drivers, whose messages hold the address with its password.
  res
    .writeHead(isOk ? 200 : 503, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(hideUrlCredentials(body));
}

async function readInTime(read: () => Checks | Promise<Checks>): Promise<Checks> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Checks>((resolve) => {
    timer = setTimeout(() => resolve({ checks: notOk(`not done within ${CHECK_MS} ms`) }), CHECK_MS);
  });
  const checks = Promise.resolve()
    .then(read)
    .catch(
      (error: unknown): Checks => ({ checks: notOk(error instanceof Error ? error.message : String(error)) }),
    );
  return Promise.race([checks, late]).finally(() => clearTimeout(timer));
}
