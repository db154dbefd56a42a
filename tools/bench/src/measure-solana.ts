import { readFileSync } from 'node:fs';
import type { Database } from '@chainwatch/db';
import { solanaFamily } from '@chainwatch/chain-solana';
import { FamilyWatch } from '../../../apps/tx-analyzer/src/family-watch.ts';
import { findCandidates } from '../../../apps/tx-analyzer/src/find-candidates.ts';

/** What `measure-solana.ts <file> <url> <slot> <hash> <addresses>` prints, as JSON. */
export interface SolanaMeasurement {
  readonly rssBytes: number;
  readonly loadMs: number;
  /** Fetched, decoded, proved and matched. */
  readonly ownMs: number;
  /** Of the processor, all threads. */
  readonly ownCpuMs: number;
  /** Of JSON.parse of the same body. */
  readonly parseMs: number;
  readonly parseCpuMs: number;
  readonly transactions: number;
  readonly transfers: number;
  readonly candidates: number;
}

/** A service runs for days: the first rounds are the compiler's. */
const WARM_UP = 40;
const ROUNDS = 41;
const base58Letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

const [file = '', url = '', slot = '', hash = '', count = ''] = process.argv.slice(2);
const network = solanaFamily.networks.find(({ name }) => name === 'solana')!;
const client = solanaFamily.createClient({ network, endpointUrl: url, timeoutMs: 30_000 });
const ref = { number: Number(slot), hash };
const text = readFileSync(file, 'latin1');

const loading = performance.now();
const watch = await FamilyWatch.load(fakeDatabase(Number(count)), 'solana');
const loadMs = performance.now() - loading;
const block = await client.readBlock(ref);
for (const { from, index } of block.transactions) if (index % 100 === 50 && from !== undefined) watch.add(from);
global.gc?.();
const rssBytes = process.memoryUsage().rss;

const [own, ownCpu, parse, parseCpu]: [number[], number[], number[], number[]] = [[], [], [], []];
let candidates = 0;
for (let round = -WARM_UP; round < ROUNDS; round += 1) {
  if (round === 0) for (const times of [own, ownCpu, parse, parseCpu]) times.length = 0;
  await time(own, ownCpu, async () => (candidates = findCandidates(await client.readBlock(ref), watch)?.transactions.length ?? 0));
  await time(parse, parseCpu, async () => JSON.parse(text) as unknown);
}
const measurement: SolanaMeasurement = {
  rssBytes,
  loadMs,
  ownMs: median(own),
  ownCpuMs: median(ownCpu),
  parseMs: median(parse),
  parseCpuMs: median(parseCpu),
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
    const rows = Array.from({ length: Math.min(limit, total - served) }, (_, index) => [toAddress(served + index)]);
    served += rows.length;
    return { rows };
  };
  return { query, transaction: (work: (sql: unknown) => Promise<unknown>) => work({ query }) } as unknown as Database;
}

/** 44 characters as of a key, of which the first six tell the number apart. */
function toAddress(index: number): string {
  let address = '';
  for (let rest = index, digits = 0; digits < 6; digits += 1, rest = Math.floor(rest / 58)) address += base58Letters[rest % 58]!;
  return `${address}j1oXAxRRaCzEF1jahZUqPxuDGcHXv4PM6jW2Wu`;
}

async function time(wall: number[], cpu: number[], work: () => Promise<unknown>): Promise<void> {
  const [started, before] = [performance.now(), process.cpuUsage()];
  await work();
  wall.push(performance.now() - started);
  const { user, system } = process.cpuUsage(before);
  cpu.push((user + system) / 1_000);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]!;
}
