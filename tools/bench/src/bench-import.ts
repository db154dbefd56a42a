// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { bootstrap } from '../../db/src/bootstrap.ts';
import type { Report } from './report.ts';
import { startRig, waitUntil, type Rig } from './rig.ts';
import { TransferChain } from './transfer-chain.ts';

const ADDRESSES = 1_000_000;
const BATCH = 10_000;
/** What a workspace may have under way. */
const AT_ONCE = 2;
const BLOCK_MS = 1_000;
/** Of the polite key. */
const REQUEST_MS = 50;
const ALONE_MS = 30_000;
const MINUTES_MAX = 3;
const SLOWER_MAX = 2;

/** A million addresses through the API while a chain is followed, and what another workspace's key notices of it. */
export async function benchImport(report: Report): Promise<void> {
  const rig = await startRig(['block-ingestor-evm', 'tx-analyzer', 'balance-service', 'notifier']);
  const chain = await TransferChain.open();
  let isDone = false;
  try {
    await rig.activate(chain.anvil.url);
    await waitUntil('the start', {
      timeoutMs: 30_000,
      done: async () => (await rig.cursorNumber()) >= 0,
    }).catch(rig.explain);
    const polite = await openPolite(rig);
    const mining = mineUntil(chain, () => isDone);
    await polite.measure(Date.now() + 5_000);
    const alone = await polite.measure(Date.now() + ALONE_MS);
    const importing = importAll(rig);
    const beside = await polite.measure(importing.then(() => Date.now()));
    const elapsedMs = await importing;
    const { rows } = await rig.db.query<{ left: number }>('SELECT count(*) AS left FROM balance_reads');
    isDone = true;
    await mining;
    const slower = at(beside, 0.99) / at(alone, 0.99);
    report.add({
      name: 'import of 1,000,000 addresses through the API, one active chain',
      goal: `≤ ${MINUTES_MAX} min; a polite key's p99 meanwhile ≤ ${SLOWER_MAX} ×`,
      isMet: elapsedMs <= MINUTES_MAX * 60_000 && slower <= SLOWER_MAX,
      measured: `${(elapsedMs / 60_000).toFixed(1)} min; p99 ${slower.toFixed(1)} × (${at(alone, 0.99).toFixed(1)} → ${at(beside, 0.99).toFixed(1)} ms)`,
      detail: `calls of ${BATCH.toLocaleString('en')}, two at once; a block a second on anvil; the polite key, of another workspace, reads an address every ${REQUEST_MS} ms: p50 ${at(alone, 0.5).toFixed(1)} → ${at(beside, 0.5).toFixed(1)} ms; ${rows[0]!.left.toLocaleString('en')} balances were still to be read at the end; client, node and servers on the same cores, load average ${loadavg()[0]!.toFixed(1)}`,
    });
  } finally {
    isDone = true;
    await rig.stop();
    await chain.anvil.stop();
  }
}

/** Resolves to how long it took. */
async function importAll(rig: Rig): Promise<number> {
  const bodies = Array.from({ length: ADDRESSES / BATCH }, (_, call) =>
    JSON.stringify({
      chain_family: 'evm',
      addresses: Array.from({ length: BATCH }, (_, n) => ({
        value: `0x${randomBytes(20).toString('hex')}`,
        label: `Customer ${call * BATCH + n}`,
      })),
    }),
  );
  const startedAt = performance.now();
  const sender = async (): Promise<void> => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
      const response = await fetch(`${rig.apiUrl}/addresses/external/batch`, {
        method: 'POST',
        headers: { 'x-api-key': rig.apiKey, 'content-type': 'application/json' },
        body,
      });
      const answer = Buffer.from(await response.arrayBuffer());
      if (response.status !== 200)
        throw new Error(`expected 200, got ${response.status} ${answer.toString()}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  return performance.now() - startedAt;
}

interface Polite {
  /** The times of its requests, ascending, until then. */
  measure(untilMs: number | Promise<number>): Promise<number[]>;
}

async function openPolite(rig: Rig): Promise<Polite> {
  const { keys } = await bootstrap(rig.db, { label: 'svc' });
  const headers = { 'x-api-key': keys.api, 'content-type': 'application/json' };
  const value = `0x${randomBytes(20).toString('hex')}`;
  const made = await fetch(`${rig.apiUrl}/addresses/external`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ value, chain_family: 'evm' }),
  });
  if (made.status !== 201) throw new Error(`expected 201, got ${made.status}`);
  return {
    async measure(until) {
      let untilMs = typeof until === 'number' ? until : Infinity;
      void Promise.resolve(until).then((ms) => (untilMs = ms));
      const times: number[] = [];
      while (Date.now() < untilMs) {
        const startedAt = performance.now();
        const response = await fetch(`${rig.apiUrl}/addresses/${value}`, { headers });
        await response.arrayBuffer();
        if (response.status !== 200) throw new Error(`expected 200, got ${response.status}`);
        times.push(performance.now() - startedAt);
        await delay(REQUEST_MS);
      }
      return times.sort((a, b) => a - b);
    },
  };
}

async function mineUntil(chain: TransferChain, isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    await chain.send([`0x${randomBytes(20).toString('hex')}`]);
    await chain.anvil.rpc('evm_mine', []);
    await delay(BLOCK_MS);
  }
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
