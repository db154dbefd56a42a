// SPDX-License-Identifier: Apache-2.0
import { loadavg } from 'node:os';
import { BUSY_ADDRESS, openBusyRecording, QUIET_BLOCKS, type Recording } from './recordings.ts';
import { startReplay } from './replay.ts';
import type { Report } from './report.ts';
import { startRig, waitUntil } from './rig.ts';

const CHAIN = 'eip155:31337';
const GOAL = 3_000;
const ROUNDS = 3;

/** The history of one busy ERC-20 address, from the import to 100,000 stored transactions. */
export async function benchHistory(report: Report, directory: string): Promise<void> {
  const recording = await openBusyRecording(directory);
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rates.push(await measureRound(recording));
  const median = rates.toSorted((a, b) => a - b)[ROUNDS >> 1]!;
  report.add({
    name: 'history of an address with 100,000 token transfers',
    goal: `≥ ${GOAL.toLocaleString('en')} stored/s`,
    isMet: median >= GOAL,
    measured: `${Math.round(median).toLocaleString('en')} stored/s`,
    detail: `median of ${ROUNDS} rounds (${rates.map((rate) => Math.round(rate)).join(', ')}), behind a head that stands still; load average ${loadavg()[0]!.toFixed(1)}`,
  });
}

/** Transactions stored in a second. */
async function measureRound({ file, first, blocks }: Recording): Promise<number> {
  const replay = await startReplay(file);
  const last = first + blocks - 1;
  const head = last + QUIET_BLOCKS;
  const rig = await startRig(['block-ingestor-evm', 'tx-analyzer']);
  try {
    await replay.setHead(last + 1);
    await rig.activate(replay.url);
    await waitUntil('the start', {
      timeoutMs: 30_000,
      done: async () => (await rig.cursorNumber()) === last + 1,
    }).catch(rig.explain);
    // Then all blocks with transfers are final.
    await replay.setHead(head);
    await waitUntil('finality', {
      timeoutMs: 30_000,
      done: async () => (await count(rig.db, FINAL)) >= last,
    }).catch(rig.explain);
    const started = performance.now();
    await rig.call('POST', '/addresses/external', {
      value: BUSY_ADDRESS,
      chain_family: 'evm',
      history: { [CHAIN]: 0 },
    });
    await waitUntil('the history', {
      timeoutMs: 300_000,
      done: async () => (await count(rig.db, NEXT)) > last,
      everyMs: 50,
    }).catch(rig.explain);
    const seconds = (performance.now() - started) / 1_000;
    const stored = await count(rig.db, 'SELECT count(*) AS value FROM transactions');
    if (stored !== 100_000) throw new Error(`expected 100000 transactions, got ${stored}`);
    return stored / seconds;
  } finally {
    await rig.stop();
    replay.stop();
  }
}

const FINAL = 'SELECT confirmed_number AS value FROM analyzer_states';
const NEXT = 'SELECT next_block AS value FROM address_histories';

async function count(db: Awaited<ReturnType<typeof startRig>>['db'], text: string): Promise<number> {
  return (await db.query<{ value: number | null }>(text)).rows[0]?.value ?? -1;
}
