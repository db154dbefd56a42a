// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import type { Database } from '@chainwatch/db';
import { solanaFamily } from '@chainwatch/chain-solana';
import { FamilyWatch } from '../../../apps/tx-analyzer/src/watch/family-watch.ts';
import { findCandidates } from '../../../apps/tx-analyzer/src/match/find-hits.ts';
import { BatchTimes } from './batch-times.ts';

/** What `measure-solana.ts <file> <url> <slot> <hash> <addresses>` prints, as JSON. */
export interface SolanaMeasurement {
  readonly rssBytes: number;
  readonly loadMs: number;
  /** Fetched, decoded, proved and matched. */
  readonly ownMs: number;
  /** Of the processor, all threads. */
  readonly ownCpuMs: number;
  /** Of JSON.parse of the same body, its objects kept until the next block. */
  readonly parseMs: number;
  readonly parseCpuMs: number;
  /** Of JSON.parse whose objects are dropped at once. */
  readonly droppedCpuMs: number;
  readonly transactions: number;
  readonly transfers: number;
  readonly candidates: number;
}

/** One after the other and not in turns: what the one leaves behind, the collector would charge the other with. */
const BATCHES = 8;
const base58Letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

const [file = '', url = '', slot = '', hash = '', count = ''] = process.argv.slice(2);
const network = solanaFamily.catalogue.networks.find(({ name }) => name === 'solana')!;
const client = solanaFamily.createClient({ network, endpointUrl: url, timeoutMs: 30_000 });
const ref = { number: Number(slot), hash };
const text = readFileSync(file, 'latin1');

const loading = performance.now();
const watch = await FamilyWatch.load(fakeDatabase(Number(count)), 'solana');
const loadMs = performance.now() - loading;
const block = await client.readBlock(ref);
for (const { from, index } of block.transactions)
  if (index % 100 === 50 && from !== undefined) watch.add(from);
global.gc?.();
const rssBytes = process.memoryUsage().rss;

let candidates = 0;
const kept: unknown[] = [];
const [own, parse, dropped] = [new BatchTimes(), new BatchTimes(), new BatchTimes()];
for (let batch = 0; batch < BATCHES; batch += 1) {
  // The replay server has closed what was idle.
  await client.readBlock(ref).catch(() => undefined);
  await own.add(
    async () => (candidates = findCandidates(await client.readBlock(ref), watch)?.transactions.length ?? 0),
  );
  await parse.add(async () => (kept[0] = JSON.parse(text) as unknown));
  kept.length = 0;
  await dropped.add(async () => void JSON.parse(text));
}
const measurement: SolanaMeasurement = {
  rssBytes,
  loadMs,
  ownMs: own.wallMs,
  ownCpuMs: own.cpuMs,
  parseMs: parse.wallMs,
  parseCpuMs: parse.cpuMs,
  droppedCpuMs: dropped.cpuMs,
  transactions: block.transactions.length,
  transfers: block.transactions.reduce((sum, { transfers }) => sum + transfers.length, 0),
  candidates,
};
process.stdout.write(`${JSON.stringify(measurement)}\n`);
process.exit(0);

/** Answers the cursor of the watch set with as many different addresses. */
function fakeDatabase(total: number): Database {
  let served = 0;
  const query = async (statement: string | { text: string }): Promise<{ rows: unknown[] }> => {
    const sql = typeof statement === 'string' ? statement : statement.text;
    if (/count\(\*\)/.test(sql)) return { rows: [{ xmin: '1', total }] };
    const limit = Number(/^FETCH (\d+)/.exec(sql)?.[1] ?? 0);
    const rows = Array.from({ length: Math.min(limit, total - served) }, (_, index) => [
      toAddress(served + index),
    ]);
    served += rows.length;
    return { rows };
  };
  return {
    query,
    transaction: (work: (sql: unknown) => Promise<unknown>) => work({ query }),
  } as unknown as Database;
}

/** 44 characters as of a key, of which the first six tell the number apart. */
function toAddress(index: number): string {
  let address = '';
  for (let rest = index, digits = 0; digits < 6; digits += 1, rest = Math.floor(rest / 58))
    address += base58Letters[rest % 58]!;
  return `${address}j1oXAxRRaCzEF1jahZUqPxuDGcHXv4PM6jW2Wu`;
}
