// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { startPostgres } from '@chainwatch/testing-stack';
import { freePort } from '../../acceptance/src/services.ts';
import { measureFloor } from './floor.ts';
import { setUpPonder } from './ponder-app.ts';
import type { Report } from './report.ts';
import { insertAddresses, startRig, waitUntil } from './rig.ts';
import { TransferChain } from './transfer-chain.ts';

const EVENTS = 30_000;
/** Ponder paces its requests, two for a block: how many blocks the same transfers stand in decides how it fares. */
const BLOCKS = [3_000, 400, 150];

/** The same anvil chain (100 watched addresses, 24,000 token and 6,000 native transfers to them), backfilled by Ponder and by us. */
export async function benchPeers(report: Report, directory: string): Promise<void> {
  for (const blocks of BLOCKS) await benchShape(report, directory, blocks);
}

async function benchShape(report: Report, directory: string, blocks: number): Promise<void> {
  const watched = Array.from(
    { length: 100 },
    (_, index) => `0x${createHash('sha256').update(`peer ${index}`).digest('hex').slice(0, 40)}`,
  );
  const chain = await TransferChain.open();
  const { anvil, token } = chain;
  const perBlock = EVENTS / blocks;
  for (let block = 0; block < blocks; block += 1) {
    await chain.send(
      Array.from({ length: perBlock }, (_, index) => watched[(block * perBlock + index) % watched.length]!),
      (index) => index % 5 !== 0,
    );
    await anvil.mine();
  }
  const head = await anvil.blockNumber();
  const rig = await startRig(['block-ingestor-evm', 'tx-analyzer'], {
    START_BLOCK: JSON.stringify({ 'eip155:31337': 1 }),
  });
  let oursMs = 0;
  try {
    await insertAddresses(rig, watched);
    await rig.activate(anvil.url);
    const started = performance.now();
    await waitUntil('our backfill', {
      timeoutMs: 300_000,
      done: async () => (await rig.cursorNumber()) >= head,
      everyMs: 10,
    });
    oursMs = performance.now() - started;
  } finally {
    await rig.stop();
  }
  // What the node alone needs: nothing is kept of what it sends.
  const floorMs = await measureFloor(anvil.url, { from: 1, to: head });
  const ponderMs = await runPonder(`${directory}/ponder`, { rpcUrl: anvil.url, watched, token });
  await anvil.stop();
  report.add({
    name: `backfill from anvil, against Ponder 0.16.10, blocks of ${perBlock} transactions`,
    goal: '≥ 4 × Ponder',
    isMet: ponderMs / oursMs >= 4,
    measured: `${(ponderMs / oursMs).toFixed(1)} × Ponder`,
    detail: `${EVENTS} events in ${blocks} blocks: chainwatch ${Math.round((EVENTS / oursMs) * 1000)} events/s, Ponder ${Math.round((EVENTS / ponderMs) * 1000)} events/s, both counted from the first event; fetching and parsing the same blocks and receipts from that anvil takes ${(floorMs / 1000).toFixed(1)} s alone (${(ponderMs / floorMs).toFixed(1)} × Ponder)`,
  });
}

async function runPonder(
  directory: string,
  {
    rpcUrl,
    watched,
    token,
  }: { readonly rpcUrl: string; readonly watched: readonly string[]; readonly token: string },
): Promise<number> {
  setUpPonder(directory, watched, token);
  const postgres = await startPostgres({ isOwn: true, isMigrated: false });
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [
      'node_modules/ponder/dist/esm/bin/ponder.js',
      'start',
      '--schema',
      'peer',
      '--port',
      String(port),
      '--log-format',
      'json',
    ],
    {
      cwd: directory,
      env: {
        ...process.env,
        DATABASE_URL: postgres.url,
        PEER_RPC_URL: rpcUrl,
        PONDER_TELEMETRY_DISABLED: 'true',
        NODE_OPTIONS: '',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const output: string[] = [];
  let startedAt = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    output.push(chunk.toString());
    if (startedAt === 0 && /backfill/i.test(chunk.toString())) startedAt = performance.now();
  });
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  try {
    await waitUntil(`Ponder to be ready: ${output.slice(-5).join('')}`, {
      timeoutMs: 300_000,
      done: async () =>
        (await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined))?.status === 200,
      everyMs: 20,
    });
    const elapsedMs = performance.now() - startedAt;
    if (startedAt === 0)
      throw new Error(`expected Ponder to say when its backfill starts:\n${output.join('')}`);
    console.log(`Ponder stored ${EVENTS} events in ${elapsedMs.toFixed(0)} ms`);
    return elapsedMs;
  } finally {
    child.kill('SIGKILL');
    await postgres.stop();
  }
}
