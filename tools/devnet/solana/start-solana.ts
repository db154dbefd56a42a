// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url';
import { findFreePort, spawnServer, waitForPort, type ChildServer } from '@chainwatch/testing';
import { connectSolanaNode, type SolanaNode } from './solana-node.ts';

export interface SolanaHandle extends SolanaNode {
  readonly port: number;
  /** SIGKILL. The chain is gone: it is in memory. */
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

export interface SolanaOptions {
  readonly port?: number;
  /** A block every so many milliseconds; default on command only. */
  readonly intervalMs?: number;
}

const ATTEMPTS = 3;

/** A Solana node (LiteSVM) on a free port of 127.0.0.1, and its WebSocket on the port above, where clients look for it. */
export async function startSolana(options: SolanaOptions = {}): Promise<SolanaHandle> {
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await findFreePort());
    const server = spawnNode(port, options.intervalMs ?? 0);
    try {
      await waitForPort(server, port);
      return toHandle(server, port);
    } catch (error) {
      // Nobody vouches for the port above a free one.
      if (attempt === ATTEMPTS || options.port !== undefined) throw error;
    }
  }
}

function spawnNode(port: number, intervalMs: number): ChildServer {
  const script = fileURLToPath(new URL('run.ts', import.meta.url));
  const args = ['--import', 'tsx', script, '--port', String(port), '--interval', String(intervalMs)];
  return spawnServer(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: '' } });
}

function toHandle(server: ChildServer, port: number): SolanaHandle {
  return {
    ...connectSolanaNode(`http://127.0.0.1:${port}`),
    port,
    kill: () => server.kill('SIGKILL'),
    pause: () => void server.child.kill('SIGSTOP'),
    resume: () => void server.child.kill('SIGCONT'),
    stop: () => server.kill('SIGTERM'),
  };
}
