// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findFreePort, spawnServer, waitForPort } from '@chainwatch/testing';
import { connectBitcoinNode, type BitcoinNode } from './bitcoin-node.ts';

export interface BcoinHandle extends BitcoinNode {
  /** With user and password. */
  readonly url: string;
  readonly port: number;
  /** SIGKILL. The chain is gone where it is in memory. */
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

export interface BcoinOptions {
  readonly port?: number;
  /** Keeps the chain there, so that another node can go on with it. Default: in memory. */
  readonly dataDir?: string;
  /** Answers `scantxoutset` as Bitcoin Core does; bcoin itself has no such call. Default false. */
  readonly hasCoinScan?: boolean;
}

const nodeDir = new URL('./', import.meta.url);
const PASSWORD = 'devnet';

/**
 * A Bitcoin regtest node (bcoin, in memory) on a free port of 127.0.0.1; its chain is the genesis block alone. With
 * CHAINWATCH_DEVNET_BITCOIN_URL it is that genuine bitcoind, one user at a time: whatever its chain had is orphaned.
 */
export async function startBcoin(options: BcoinOptions = {}): Promise<BcoinHandle> {
  const genuineUrl = process.env.CHAINWATCH_DEVNET_BITCOIN_URL;
  if (genuineUrl) return useNode(genuineUrl);
  if (!existsSync(new URL('node_modules', nodeDir)))
    throw new Error(
      'The Bitcoin node of the local chain is not installed: run npm test or npm start once, or npm ci --ignore-scripts in tools/devnet/bitcoin.',
    );
  const port = options.port ?? (await findFreePort());
  const script = fileURLToPath(new URL('node/run.mjs', nodeDir));
  const args = [
    script,
    '--port',
    String(port),
    '--password',
    PASSWORD,
    ...(options.dataDir === undefined ? [] : ['--data-dir', options.dataDir]),
    ...(options.hasCoinScan ? ['--coin-scan'] : []),
  ];
  const server = spawnServer(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: '' } });
  await waitForPort(server, port);
  const url = `http://user:${PASSWORD}@127.0.0.1:${port}`;
  const kill = (): Promise<void> => server.kill('SIGKILL');
  return {
    ...connectBitcoinNode(url),
    url,
    port,
    kill,
    pause: () => void server.child.kill('SIGSTOP'),
    resume: () => void server.child.kill('SIGCONT'),
    stop: () => server.kill('SIGTERM'),
  };
}

async function useNode(url: string): Promise<BcoinHandle> {
  const node = connectBitcoinNode(url);
  if ((await node.readHeight()) > 0)
    await node.call('invalidateblock', [await node.call('getblockhash', [1])]);
  const refuse = (): never => {
    throw new Error('The Bitcoin node of CHAINWATCH_DEVNET_BITCOIN_URL is not this process’s to end.');
  };
  return {
    ...node,
    url,
    port: Number(new URL(url).port),
    kill: refuse,
    pause: refuse,
    resume: refuse,
    stop: async () => undefined,
  };
}
