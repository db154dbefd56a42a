// SPDX-License-Identifier: Apache-2.0
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { spawnServer } from './child-servers.ts';
import { findFreePort } from './find-free-port.ts';
import { waitFor } from './wait-for.ts';

export interface AnvilHandle {
  readonly url: string;
  readonly webSocketUrl: string;
  readonly port: number;
  /** @throws Error with the node's message when it answers with an error */
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>;
  /** Mines `count` blocks. Default 1. */
  mine(count?: number): Promise<void>;
  blockNumber(): Promise<number>;
  /** Returns the id of a snapshot for `revert`. */
  snapshot(): Promise<string>;
  revert(id: string): Promise<void>;
  /** SIGKILL. The chain is gone: anvil keeps it in memory. */
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

export interface AnvilOptions {
  readonly port?: number;
  /** More arguments, such as `['--block-time', '1']`. Default: a block per transaction. */
  readonly args?: readonly string[];
}

/** An anvil node (chain id 31337) on a free port of 127.0.0.1. */
export async function startAnvil(options: AnvilOptions = {}): Promise<AnvilHandle> {
  const port = options.port ?? (await findFreePort());
  const url = `http://127.0.0.1:${port}`;
  const server = spawnServer(findAnvil(), [
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--silent',
    ...(options.args ?? []),
  ]);
  const rpc = async <T>(method: string, params: readonly unknown[] = []): Promise<T> =>
    callRpc<T>(url, method, params);
  await waitFor(() => rpc('eth_chainId'), {
    intervalMs: 10,
    message: () => `anvil on port ${port}; it wrote: ${server.output()}`,
  });
  const kill = (): Promise<void> => server.kill('SIGKILL');
  return {
    url,
    webSocketUrl: `ws://127.0.0.1:${port}`,
    port,
    rpc,
    mine: async (count = 1) => void (await rpc('anvil_mine', [`0x${count.toString(16)}`])),
    blockNumber: async () => Number(await rpc<string>('eth_blockNumber')),
    snapshot: () => rpc<string>('evm_snapshot'),
    revert: async (id) => void (await rpc('evm_revert', [id])),
    kill,
    pause: () => void server.child.kill('SIGSTOP'),
    resume: () => void server.child.kill('SIGCONT'),
    stop: kill,
  };
}

async function callRpc<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(60_000),
  });
  const answer = (await response.json()) as { result?: T; error?: { message: string } };
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result as T;
}

/** The binary is in the npm package of the platform, which stands beside @foundry-rs/anvil. */
function findAnvil(): string {
  const { platform, arch } = process;
  const cpu = arch === 'x64' ? 'amd64' : arch;
  const name = platform === 'win32' ? 'anvil.exe' : 'anvil';
  const own = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json');
  return join(dirname(own), '..', `anvil-${platform}-${cpu}`, 'bin', name);
}
