// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { killLeftovers, readLivePidFile, removePidFile, writePidFile } from '../pid-files.mjs';
import { SetupError, stateDir } from '@chainwatch/testing/host';
import { runDemo } from './demo/demo.ts';
import { detachStack } from './detach-stack.ts';
import { startGuard } from './guard.ts';
import { createPrinter } from './printer.ts';
import { localNodes } from '../../devnet/local-nodes.ts';
import { addOffset, assertPortsFree, assignPorts, findNodeUrl, healthPort } from './ports.ts';
import { startServers } from './start-servers.ts';
import { startServices } from './start-services.ts';
import type { StackOptions } from './stack-options.ts';
import { startPlayground } from './playground/start-playground.ts';
import { Supervisor } from './supervisor.ts';
import { serviceNames } from '../services.mjs';

const runDir = join(stateDir, 'run');
const logsDir = join(stateDir, 'logs');

/** In the foreground until Ctrl-C, or in the background once it is ready. @throws SetupError */
export async function startStack(options: StackOptions): Promise<void> {
  assertNotRunning();
  if (options.isDetached) await detachStack(options, logsDir);
  else await superviseStack(options);
}

/** Starts everything and keeps it running until this process is asked to end. @throws SetupError */
export async function superviseStack(options: StackOptions): Promise<void> {
  assertNotRunning();
  writePidFile(runDir, 'supervisor', { pid: process.pid, signal: 'SIGTERM', identity: 'tools/stack/' });
  const printer = createPrinter(options.isDetached);
  const supervisor = new Supervisor({
    runDir,
    logsDir,
    print: printer.print,
    levelMin: options.isVerbose ? 20 : 40,
  });
  const callOffGuard = startGuard(runDir);
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> =>
    (stopping ??= (async () => {
      const servers = supervisor.names.filter((name) => !serviceNames.includes(name));
      await supervisor.stop(supervisor.names.filter((name) => serviceNames.includes(name)));
      await supervisor.stop(servers);
      callOffGuard();
      removePidFile(runDir, 'supervisor');
    })());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!stopping) printer.note('Stopping …');
      void stop().then(() => process.exit(0));
    });
  }
  try {
    await bringUp(supervisor, options, printer.note);
  } catch (error) {
    // A signal in the middle of the start makes what is starting fail: that is no fault to report.
    if (stopping) return await stopping;
    await stop();
    return printer.fail(error);
  }
  printer.ready();
  if (options.hasDemo && !stopping)
    await runDemo({ type: 'show' }).catch((error: unknown) =>
      printer.note(`The demo failed: ${error instanceof Error ? error.message : String(error)}`),
    );
}

function assertNotRunning(): void {
  const running = readLivePidFile(runDir, 'supervisor');
  if (running && running.pid !== process.pid)
    throw new SetupError(
      `The stack of this clone is running already (process ${running.pid}): stop it with npm run stop, or use it with the keys in .chainwatch/stack.json.`,
    );
}

async function bringUp(
  supervisor: Supervisor,
  options: StackOptions,
  note: (text: string) => void,
): Promise<void> {
  const leftovers = await killLeftovers(runDir);
  if (leftovers.length > 0) note(`Ended what a killed stack left behind: ${leftovers.join(', ')}`);
  const ports = assignPorts(options.portOffset);
  await assertPortsFree(listOwnPorts(options));
  const servers = await startServers(supervisor, options, ports);
  const stack = await startServices(supervisor, { options, ports, servers });
  if (options.hasDevnet)
    await startPlayground({
      port: ports.playground,
      origin: new URL(stack.dashboard_url).origin,
      nodeUrls: servers.nodeUrls,
    });
  note(
    `Ready after ${((Date.now() - options.startedAt) / 1_000).toFixed(1)} s: API ${stack.api_url}, dashboard ${stack.dashboard_url}, documentation ${stack.docs_url}, keys in .chainwatch/stack.json, logs in .chainwatch/logs`,
  );
}

function listOwnPorts(options: StackOptions): Map<string, number> {
  const {
    'demo receiver': receiver,
    playground,
    postgres,
    nats,
    'nats monitoring': natsMonitoring,
    redis,
    ...services
  } = assignPorts(options.portOffset);
  const ownNodes = options.hasDevnet ? localNodes.filter((node) => findNodeUrl(node) === undefined) : [];
  return new Map<string, number>([
    ...Object.entries(services),
    ...serviceNames.map((name, index): [string, number] => [
      `health of ${name}`,
      healthPort(options.portOffset, index),
    ]),
    ...ownNodes.flatMap((node) => Object.entries(addOffset(node.ports, options.portOffset))),
    ...(options.hasDevnet ? [['playground', playground] as const] : []),
    ...(options.hasDemo ? [['demo receiver', receiver] as const] : []),
    ...(process.env.DATABASE_URL ? [] : [['postgres', postgres] as const]),
    ...(options.natsServer ? [['nats', nats] as const, ['nats monitoring', natsMonitoring] as const] : []),
    ...(options.redisServer ? [['redis', redis] as const] : []),
  ]);
}
