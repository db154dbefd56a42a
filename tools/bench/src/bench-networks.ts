// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '../../acceptance/src/services.ts';
import { processorTimeMs } from './deliveries/processor-time.ts';
import { writeSolanaChain } from './make-solana-chain.ts';
import { hitAddresses, openBaseRecording } from './recordings.ts';
import { startReplay, startSolanaReplay, type Replay } from './replay.ts';
import type { Report } from './report.ts';
import { insertAddresses, startRig, waitUntil, type Rig } from './rig.ts';

const BLOCK_TIME_MS = 200;
/** Of the first and the last blocks, whose lag is compared. */
const MINUTE = 60_000 / BLOCK_TIME_MS;
// Recorded, beside the repository.
const fixtures = fileURLToPath(new URL('../../../../shared/fixtures/solana', import.meta.url));
const WATCHED = 10_000_000;
const SOLANA_SHAPE = { blocks: 1_500, transactions: 2_500, hits: 25 } as const;
const BASE_TRANSACTIONS = 200;

/** Networks with a block every 200 ms, through all services to a webhook. */
export async function benchNetworks(report: Report, directory: string): Promise<void> {
  await benchBase(report, directory);
  if (existsSync(fixtures)) await benchSolana(report, directory);
  else console.log('\nnetworks: Solana skipped, the recorded blocks are absent (../shared/fixtures/solana)');
}

/** Generated blocks with Base's chain id, replayed for ten minutes. */
async function benchBase(report: Report, directory: string): Promise<void> {
  const { file, first, blocks } = await openBaseRecording(directory);
  const replay = await startReplay(file, false, 8_453);
  const hits = (blocks * BASE_TRANSACTIONS) / 100;
  const { lags } = await runNetwork({
    services: ['block-ingestor-evm', 'tx-analyzer', 'balance-service', 'notifier'],
    ...{ chainGid: 'eip155:8453', replay, first, blocks, hits },
    watch: (rig) => insertAddresses(rig, hitAddresses),
  });
  const all = lags.map(({ ms }) => ms);
  report.add({
    name: 'networks, Base at 200 ms, block → webhook',
    goal: 'p99 ≤ 250 ms, no growing lag',
    isMet: share(all, 0.99) <= 250 && !isGrowing(lags, blocks),
    measured: describeLags(lags, blocks),
    detail: `${blocks} generated blocks of ${BASE_TRANSACTIONS} transactions in ${minutesOf(blocks)} minutes, ${lags.length} webhooks, worst ${share(all, 1).toFixed(0)} ms`,
  });
}

/** Blocks without votes, against ten million watched addresses, for five minutes. */
async function benchSolana(report: Report, directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const file = `${directory}/solana-chain.ndjson`;
  const { blocks, transactions, hits } = SOLANA_SHAPE;
  const { first, payers } = await writeSolanaChain(fixtures, file, {
    blocks: blocks + 1,
    transactions,
    hits,
  });
  const replay = await startSolanaReplay(file);
  const { lags, analyzerCores, rssBytes } = await runNetwork({
    services: ['block-ingestor-solana', 'tx-analyzer', 'notifier'],
    ...{ chainGid: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', replay },
    ...{ first: first + 1, blocks, hits: blocks * hits },
    watch: async (rig) => {
      await insertMillions(rig, WATCHED);
      await insertAddresses(rig, payers, 'solana');
    },
  });
  report.add({
    name: 'networks, Solana at 200 ms, block → webhook',
    goal: 'analyzer ≤ 0.6 of a core, no growing lag',
    isMet: analyzerCores <= 0.6 && !isGrowing(lags, blocks),
    measured: `${analyzerCores.toFixed(2)} of a core; ${describeLags(lags, blocks)}`,
    detail: `${blocks} generated blocks of ${transactions} transactions in ${minutesOf(blocks)} minutes, 40 % of version 1, no votes, all but ${hits} the same in each block; ${WATCHED.toLocaleString('en')} watched addresses, analyzer's RSS ${(rssBytes / 1e6).toFixed(0)} MB at the end; ${lags.length} webhooks, worst ${share(
      lags.map(({ ms }) => ms),
      1,
    ).toFixed(0)} ms`,
  });
}

interface NetworkRun {
  readonly chainGid: string;
  readonly services: readonly ServiceName[];
  readonly replay: Replay;
  /** The block after the one that is the head at the start. */
  readonly first: number;
  readonly blocks: number;
  /** Webhooks to come. */
  readonly hits: number;
  readonly watch: (rig: Rig) => Promise<void>;
}

interface NetworkResult {
  readonly lags: readonly Lag[];
  readonly analyzerCores: number;
  readonly rssBytes: number;
}

async function runNetwork(run: NetworkRun): Promise<NetworkResult> {
  const { chainGid, services, replay, first, blocks, hits } = run;
  await replay.setHead(first - 1);
  const receiver = new Receiver();
  const hookUrl = await receiver.listen();
  const rig = await startRig(services, {}, chainGid);
  try {
    await run.watch(rig);
    await rig.activate(replay.url);
    await waitUntil('the start', {
      timeoutMs: 300_000,
      done: async () => (await rig.cursorNumber()) === first - 1,
      everyMs: 100,
    }).catch(rig.explain);
    await rig.call('POST', '/notification_channels/webhook', {
      ...{ name: 'bench', url: hookUrl, event_types: ['transaction.detected'] },
    });
    await delay(2_000);
    const analyzer = rig.services.pid('tx-analyzer')!;
    const spentMs = processorTimeMs(analyzer);
    const startedAt = performance.now();
    for (let at = 0; at < blocks; at += 1) {
      await delay(Math.max(0, startedAt + at * BLOCK_TIME_MS - performance.now()));
      receiver.said.set(first + at, performance.now());
      await replay.setHead(first + at);
    }
    await waitUntil(`${hits} webhooks`, {
      timeoutMs: 60_000,
      done: () => Promise.resolve(receiver.lags.length >= hits),
      everyMs: 100,
    }).catch(rig.explain);
    return {
      lags: receiver.lags,
      analyzerCores: (processorTimeMs(analyzer) - spentMs) / (performance.now() - startedAt),
      rssBytes: rssOf(analyzer),
    };
  } finally {
    await rig.stop();
    receiver.close();
    replay.stop();
  }
}

/**
 * Other addresses of Solana. The indexes that only lists and searches read are dropped first, and no trigger counts the
 * rows: an import of as many would take an hour.
 */
async function insertMillions(rig: Rig, count: number): Promise<void> {
  const { rows } = await rig.db.query<{ name: string }>(
    `SELECT indexname AS name FROM pg_indexes WHERE tablename = 'addresses'
       AND indexname NOT IN ('addresses_pkey', 'addresses_match_idx', 'addresses_watch_xid_idx') AND indexdef NOT LIKE '%UNIQUE%'`,
  );
  for (const { name } of rows) await rig.db.query(`DROP INDEX ${name}`);
  await rig.db.query('ALTER TABLE addresses DISABLE TRIGGER ALL');
  for (let at = 0; at < count; at += 100_000)
    await rig.db.query(
      `INSERT INTO addresses (project_id, chain_family, address, display, kind, format, imported_at)
       SELECT $1, 'solana', a, a, 'external', 'solana', now()
       FROM (SELECT left(translate(encode(sha256(n::text::bytea), 'hex'), '0', 'z'), 44) AS a FROM generate_series($2::int, $3::int) n) made`,
      [rig.projectId, at, at + 99_999],
    );
  await rig.db.query('ALTER TABLE addresses ENABLE TRIGGER ALL');
  await rig.db.query('VACUUM ANALYZE addresses');
}

function rssOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}

interface Lag {
  /** Place of the block, from 0. */
  readonly at: number;
  readonly ms: number;
}

const minutesOf = (blocks: number): string => ((blocks * BLOCK_TIME_MS) / 60_000).toFixed(0);

/** Medians of the second minute and of the last. */
function mediansOf(lags: readonly Lag[], blocks: number): readonly [early: number, late: number] {
  const median = (from: number, to: number): number =>
    share(
      lags.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms),
      0.5,
    );
  return [median(MINUTE, 2 * MINUTE), median(blocks - MINUTE, blocks)];
}

function isGrowing(lags: readonly Lag[], blocks: number): boolean {
  const [early, late] = mediansOf(lags, blocks);
  return late > Math.max(1.5 * early, early + 20);
}

function describeLags(lags: readonly Lag[], blocks: number): string {
  const all = lags.map(({ ms }) => ms);
  const [early, late] = mediansOf(lags, blocks);
  return `p50 ${share(all, 0.5).toFixed(0)} ms, p99 ${share(all, 0.99).toFixed(0)} ms; median of the second minute ${early.toFixed(0)} ms, of the last ${late.toFixed(0)} ms`;
}

function share(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

/** How long after its block each webhook came. */
class Receiver {
  /** When the node had the block of a height. */
  readonly said = new Map<number, number>();
  readonly lags: Lag[] = [];
  readonly #server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { data } = JSON.parse(Buffer.concat(chunks).toString()) as {
        data: { transaction?: { block_number: number } };
      };
      const number = data.transaction?.block_number;
      const at = number === undefined ? undefined : this.said.get(number);
      if (at !== undefined && number !== undefined)
        this.lags.push({ at: number - Math.min(...this.said.keys()), ms: performance.now() - at });
      res.writeHead(204).end();
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  close(): void {
    this.#server.close();
  }
}
