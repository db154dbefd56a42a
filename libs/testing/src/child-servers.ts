// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { killWithParent } from './kill-with-parent.ts';
import { removeDirectory } from './temporary-directory.ts';

export interface ChildServer {
  readonly child: ChildProcess;
  /** What it wrote last, for messages about a failed start. */
  readonly output: () => string;
  readonly isRunning: () => boolean;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export interface ServerOptions extends SpawnOptions {
  /** How it is ended when this process is gone. Default KILL. */
  readonly endSignal?: 'KILL' | 'QUIT';
  /** Deleted then, too. */
  readonly directory?: string;
}

/** Starts a server that ends with this process and does not keep it alive. */
export function spawnServer(
  command: string,
  args: readonly string[],
  { endSignal = 'KILL', directory, ...options }: ServerOptions = {},
): ChildServer {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const append = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-8_000);
  };
  child.stdout?.on('data', append);
  child.stderr?.on('data', append);
  child.on('error', (error) => append(Buffer.from(String(error))));
  if (child.pid !== undefined) child.once('exit', killWithParent(child.pid, endSignal, directory));
  child.unref();
  for (const stream of [child.stdout, child.stderr]) (stream as { unref?: () => void } | null)?.unref?.();
  const isRunning = (): boolean =>
    child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    child,
    output: () => output,
    isRunning,
    async kill(signal) {
      if (!isRunning()) return;
      const exited = once(child, 'exit');
      child.ref();
      child.kill(signal);
      await exited;
    },
  };
}

export interface RestartableServer {
  kill9(): Promise<void>;
  /** SIGKILL, and again on the same port with what its directory holds. */
  restart(): Promise<void>;
  /** Its directory goes, too. */
  stop(): Promise<void>;
}

/** @param start resolves when the server accepts connections */
export async function startRestartable(
  start: () => Promise<ChildServer>,
  directory: string,
): Promise<RestartableServer> {
  let server = await start();
  const kill9 = (): Promise<void> => server.kill('SIGKILL');
  return {
    kill9,
    async restart() {
      await kill9();
      server = await start();
    },
    async stop() {
      await kill9();
      await removeDirectory(directory);
    },
  };
}
