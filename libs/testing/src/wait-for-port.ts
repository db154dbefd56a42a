// SPDX-License-Identifier: Apache-2.0
import { connect } from 'node:net';
import type { ChildServer } from './child-servers.ts';
import { waitFor } from './wait-for.ts';

/** Resolves when the server accepts connections. @throws Error with what it wrote when it died or took longer */
export async function waitForPort(server: ChildServer, port: number): Promise<void> {
  let isDead = false;
  await waitFor(async () => (isDead = !server.isRunning()) || (await isOpen(port)), {
    intervalMs: 10,
    message: () => `port ${port}; the server wrote: ${server.output()}`,
  });
  if (!isDead) return;
  // What a program that was not found tells comes a moment later.
  await new Promise(setImmediate);
  throw new Error(`the server for port ${port} ended at once: ${server.output()}`);
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => finish(true)).once('error', () => finish(false));
  });
}
