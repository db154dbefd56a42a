// SPDX-License-Identifier: Apache-2.0
import { spawnServer } from './child-servers.ts';
import { findFreePort } from './find-free-port.ts';
import { createTemporaryDirectory, removeDirectory } from './temporary-directory.ts';
import { waitForPort } from './wait-for-port.ts';

export interface NatsHandle {
  readonly url: string;
  readonly port: number;
  readonly storeDirectory: string;
  /** SIGKILL: nothing is flushed, nobody is told. */
  kill9(): Promise<void>;
  /** SIGSTOP and SIGCONT: connections stay open, nobody answers. */
  pause(): void;
  resume(): void;
  /** Starts again on the same port and store; stops first when it runs. */
  restart(): Promise<void>;
  /** Kills it, deletes its store and starts again on the same port: everything it knew is gone. */
  wipe(): Promise<void>;
  stop(): Promise<void>;
}

export interface NatsOptions {
  readonly port?: number;
  readonly storeDirectory?: string;
  /** More arguments of nats-server. */
  readonly args?: readonly string[];
}

/** A nats-server with JetStream on a free port of 127.0.0.1. */
export async function startNats(options: NatsOptions = {}): Promise<NatsHandle> {
  const port = options.port ?? (await findFreePort());
  const temporary = options.storeDirectory === undefined ? createTemporaryDirectory('nats') : undefined;
  const storeDirectory = options.storeDirectory ?? temporary ?? '';
  const args = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', storeDirectory, ...(options.args ?? [])];
  const start = async () => {
    const started = spawnServer('nats-server', args, { directory: temporary });
    await waitForPort(started, port);
    return started;
  };
  let server = await start();
  const kill9 = (): Promise<void> => server.kill('SIGKILL');
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    storeDirectory,
    kill9,
    pause: () => void server.child.kill('SIGSTOP'),
    resume: () => void server.child.kill('SIGCONT'),
    async restart() {
      await server.kill('SIGTERM');
      server = await start();
    },
    async wipe() {
      await kill9();
      await removeDirectory(storeDirectory);
      server = await start();
    },
    async stop() {
      await kill9();
      if (temporary !== undefined) await removeDirectory(temporary);
    },
  };
}
