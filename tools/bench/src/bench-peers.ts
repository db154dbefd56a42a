import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { encodeFunctionData, type Abi, type Hex } from 'viem';
import { startAnvil, startPostgres } from '@chainwatch/testing';
import { contracts } from '../../devnet/evm/contracts.ts';
import { freePort } from '../../acceptance/src/services.ts';
import { measureFloor } from './floor.ts';
import { NonceBook } from './record.ts';
import { setUpPonder } from './ponder-app.ts';
import type { Report } from './report.ts';
import { insertAddresses, startRig, waitUntil } from './rig.ts';

const BLOCKS = 150;
const PER_BLOCK = 200;

/** The same anvil chain (100 watched addresses, 24,000 token and 6,000 native transfers to them), backfilled by Ponder and by us. */
export async function benchPeers(report: Report, directory: string): Promise<void> {
  const anvil = await startAnvil({ args: ['--no-mining', '--gas-limit', '1000000000', '--order', 'fifo', '--accounts', '50', '--balance', '1000000'] });
  const watched = Array.from({ length: 100 }, (_, index) => `0x${createHash('sha256').update(`peer ${index}`).digest('hex').slice(0, 40)}`);
  const token = await fillChain(anvil.rpc, watched);
  const events = BLOCKS * PER_BLOCK;
  const rig = await startRig(['block-ingestor-evm', 'tx-analyzer'], { START_BLOCK: JSON.stringify({ 'eip155:31337': 1 }) });
  let oursMs = 0;
  try {
    await insertAddresses(rig, watched);
    const head = Number(await anvil.rpc<Hex>('eth_blockNumber', []));
    await rig.activate(anvil.url);
    const started = performance.now();
    await waitUntil('our backfill', 300_000, async () => (await rig.cursorNumber()) >= head, 10);
    oursMs = performance.now() - started;
  } finally {
    await rig.stop();
  }
  // What the node alone needs: nothing is kept of what it sends.
  const floorMs = await measureFloor(anvil.url, 1, Number(await anvil.rpc<Hex>('eth_blockNumber', [])));
  const ponderMs = await runPonder(`${directory}/ponder`, anvil.url, watched, token, events);
  await anvil.stop();
  report.add({
    name: 'backfill from anvil, against Ponder 0.16.10',
    goal: '≥ 4 × Ponder',
    measured: `${(ponderMs / oursMs).toFixed(1)} × Ponder`,
    detail: `${events} events: chainwatch ${Math.round((events / oursMs) * 1000)} events/s, Ponder ${Math.round((events / ponderMs) * 1000)} events/s, both counted from the first event; fetching and parsing the same blocks and receipts from that anvil takes ${(floorMs / 1000).toFixed(1)} s alone (${(ponderMs / floorMs).toFixed(1)} × Ponder)`,
  });
}

async function fillChain(rpc: <T>(method: string, params: readonly unknown[]) => Promise<T>, watched: readonly string[]): Promise<string> {
  const accounts = await rpc<Hex[]>('eth_accounts', []);
  const { abi, bytecode } = contracts.TestToken;
  const hash = await rpc<Hex>('eth_sendTransaction', [{ from: accounts[0], data: bytecode, gas: '0x2dc6c0' }]);
  await rpc('anvil_mine', ['0x1']);
  const { contractAddress: token } = await rpc<{ contractAddress: Hex }>('eth_getTransactionReceipt', [hash]);
  const data = (name: string, args: readonly unknown[]): Hex => encodeFunctionData({ abi: abi as Abi, functionName: name, args });
  for (const account of accounts) await rpc('eth_sendTransaction', [{ from: account, to: token, data: data('mint', [account, 10n ** 30n]), gas: '0x186a0' }]);
  await rpc('anvil_mine', ['0x1']);
  const nonces = new NonceBook(rpc);
  await Promise.all(accounts.map((account) => nonces.know(account)));
  for (let block = 0; block < BLOCKS; block += 1) {
    await Promise.all(
      Array.from({ length: PER_BLOCK }, (_, index) => {
        const from = accounts[index % accounts.length]!;
        const nonce = `0x${nonces.take(from).toString(16)}`;
        const to = watched[(block * PER_BLOCK + index) % watched.length] as Hex;
        const call = index % 5 === 0 ? { from, to, value: '0x1' } : { from, to: token, data: data('transfer', [to, 1n]) };
        return rpc('eth_sendTransaction', [{ ...call, nonce, gas: '0x186a0', gasPrice: '0x77359400' }]);
      }),
    );
    await rpc('anvil_mine', ['0x1']);
  }
  return token;
}

async function runPonder(directory: string, rpcUrl: string, watched: readonly string[], token: string, events: number): Promise<number> {
  setUpPonder(directory, watched, token);
  const postgres = await startPostgres({ isOwn: true, isMigrated: false });
  const port = await freePort();
  const child = spawn(process.execPath, ['node_modules/ponder/dist/esm/bin/ponder.js', 'start', '--schema', 'peer', '--port', String(port), '--log-format', 'json'], {
    cwd: directory,
    env: { ...process.env, DATABASE_URL: postgres.url, PEER_RPC_URL: rpcUrl, PONDER_TELEMETRY_DISABLED: 'true', NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  let startedAt = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    output.push(chunk.toString());
    if (startedAt === 0 && /backfill/i.test(chunk.toString())) startedAt = performance.now();
  });
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  try {
    await waitUntil(`Ponder to be ready: ${output.slice(-5).join('')}`, 300_000, async () => (await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined))?.status === 200, 20);
    const elapsedMs = performance.now() - startedAt;
    if (startedAt === 0) throw new Error(`expected Ponder to say when its backfill starts:\n${output.join('')}`);
    console.log(`Ponder stored ${events} events in ${elapsedMs.toFixed(0)} ms`);
    return elapsedMs;
  } finally {
    child.kill('SIGKILL');
    await postgres.stop();
  }
}
