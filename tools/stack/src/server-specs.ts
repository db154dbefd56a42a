import { existsSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { anvilArgs } from '../../devnet/tron/anvil-vm.ts';
import { type ProcessSpec, repoDir, SetupError } from '@chainwatch/host';

export function natsSpec(
  command: string,
  port: number,
  monitoringPort: number,
  storeDir: string,
): ProcessSpec {
  return {
    name: 'nats',
    command,
    args: ['-a', '127.0.0.1', '-p', String(port), '-m', String(monitoringPort), '-js', '-sd', storeDir],
    identity: storeDir,
  };
}

/** Redis is a cache (invariant 1): nothing is written to disk. It replaces its command line by its address, which serves as identity. */
export function redisSpec(command: string, port: number): ProcessSpec {
  return {
    name: 'redis',
    command,
    args: [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--loglevel',
      'warning',
    ],
    identity: `:${port}`,
  };
}

const ANVIL_STATE_INTERVAL_S = 30;

/**
 * One block a second, final two blocks later. The chain is dumped on exit and every half minute, so that a restarted
 * stack goes on where it stopped; after a crash of the machine the node forgets at most that long, which the services
 * see as a reorg.
 */
export function anvilSpec(port: number, stateFile: string): ProcessSpec {
  return {
    name: 'anvil',
    command: findAnvil(),
    args: [
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--chain-id',
      '31337',
      '--block-time',
      '1',
      '--slots-in-an-epoch',
      '1',
      '--quiet',
      '--state',
      stateFile,
      '--state-interval',
      String(ANVIL_STATE_INTERVAL_S),
    ],
    identity: stateFile,
  };
}

/** Knows no password but this one: it listens on loopback alone, and its coins are worth nothing. */
const BITCOIN_PASSWORD = 'devnet';

export function bitcoinSpec(port: number, dataDir: string): ProcessSpec & { readonly url: string } {
  const script = join(repoDir, 'tools/devnet/bitcoin/node/run.mjs');
  return {
    name: 'bitcoin',
    command: process.execPath,
    args: [
      script,
      '--port',
      String(port),
      '--password',
      BITCOIN_PASSWORD,
      '--data-dir',
      dataDir,
      '--coin-scan',
    ],
    identity: dataDir,
    env: { NODE_OPTIONS: '' },
    url: `http://user:${BITCOIN_PASSWORD}@127.0.0.1:${port}`,
  };
}

/** The virtual machine of the TRON node: a fresh one each time, the node's journal fills it. */
export function tronAnvilSpec(port: number): ProcessSpec {
  return {
    name: 'tron-anvil',
    command: findAnvil(),
    args: ['--host', '127.0.0.1', '--port', String(port), '--quiet', ...anvilArgs],
    identity: `--port ${port}`,
  };
}

export function tronSpec(distDir: string, port: number, anvilUrl: string, journal: string): ProcessSpec {
  const script = join(distDir, 'tron-node.mjs');
  return {
    name: 'tron',
    command: process.execPath,
    args: [script, '--port', String(port), '--anvil-url', anvilUrl, '--journal', journal],
    identity: journal,
    env: { NODE_OPTIONS: '' },
  };
}

/** A block a second and final four later: quick to watch, and little work for a machine that runs everything else as well. */
const SOLANA_ARGS = ['--interval', '1000', '--finality-slots', '4'];

/** The WebSocket is on the port above. */
export function solanaSpec(distDir: string, port: number, stateFile: string): ProcessSpec {
  const args = [
    '--enable-source-maps',
    join(distDir, 'solana-node.mjs'),
    '--port',
    String(port),
    '--state',
    stateFile,
    ...SOLANA_ARGS,
  ];
  return { name: 'solana', command: process.execPath, args, identity: stateFile, env: { NODE_OPTIONS: '' } };
}

/** What was cut short does not load: it is put aside, and the chain begins again. */
export function setStateAside(path: string): boolean {
  if (!existsSync(path)) return false;
  rmSync(`${path}.unreadable`, { recursive: true, force: true });
  renameSync(path, `${path}.unreadable`);
  return true;
}

/** @throws SetupError when npm has no anvil for this platform */
function findAnvil(): string {
  const cpu = process.arch === 'x64' ? 'amd64' : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${cpu}`;
  try {
    return join(
      dirname(createRequire(join(repoDir, 'package.json')).resolve(`${name}/package.json`)),
      'bin',
      'anvil',
    );
  } catch {
    throw new SetupError(
      `The npm package ${name} is missing: run npm install on this machine, or start without a local chain: npm start -- --no-devnet.`,
    );
  }
}

export async function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => finish(true)).once('error', () => finish(false));
  });
}

export async function answersSql(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  await client.connect();
  await client.end();
  return true;
}

export async function answersHttp(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await response.body?.cancel();
  return response.ok;
}

export async function answersRpc(url: string): Promise<boolean> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
    signal: AbortSignal.timeout(2_000),
  });
  return response.ok;
}
