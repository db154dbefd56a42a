import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { hitAddresses, openBaseRecording } from './recordings.ts';
import { startReplay } from './replay.ts';
import type { Report } from './report.ts';
import { insertAddresses, startRig, waitUntil } from './rig.ts';

const BASE = 'eip155:8453';
const BLOCK_TIME_MS = 200;
const TRANSACTIONS = 200;
/** Of the first and the last blocks, whose lag is compared. */
const MINUTE = 60_000 / BLOCK_TIME_MS;

/** Base with a block every 200 ms: generated blocks of an anvil with its chain id, replayed for ten minutes. */
export async function benchNetworks(report: Report, directory: string): Promise<void> {
  const { file, first, blocks } = await openBaseRecording(directory);
  const replay = await startReplay(file, false, 8_453);
  await replay.setHead(first - 1);
  const receiver = new Receiver();
  const hookUrl = await receiver.listen();
  const rig = await startRig(['block-ingestor-evm', 'tx-analyzer', 'balance-service', 'notifier'], {}, BASE);
  try {
    await insertAddresses(rig, hitAddresses);
    await rig.activate(replay.url);
    await waitUntil('the start', {
      timeoutMs: 60_000,
      done: async () => (await rig.cursorNumber()) === first - 1,
    }).catch(rig.explain);
    await rig.call('POST', '/notification_channels/webhook', {
      ...{ name: 'bench', url: hookUrl, event_types: ['transaction.detected'] },
    });
    await delay(2_000);
    const startedAt = performance.now();
    for (let at = 0; at < blocks; at += 1) {
      await delay(Math.max(0, startedAt + at * BLOCK_TIME_MS - performance.now()));
      receiver.said.set(first + at, performance.now());
      await replay.setHead(first + at);
    }
    const hits = (blocks * TRANSACTIONS) / 100;
    await waitUntil(`${hits} webhooks`, {
      timeoutMs: 60_000,
      done: () => Promise.resolve(receiver.lags.length >= hits),
      everyMs: 100,
    }).catch(rig.explain);
    addTo(report, receiver.lags, blocks);
  } finally {
    await rig.stop();
    receiver.close();
    replay.stop();
  }
}

interface Lag {
  /** Place of the block, from 0. */
  readonly at: number;
  readonly ms: number;
}

function addTo(report: Report, lags: readonly Lag[], blocks: number): void {
  const median = (from: number, to: number): number =>
    share(
      lags.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms),
      0.5,
    );
  const all = lags.map(({ ms }) => ms);
  const [early, late] = [median(MINUTE, 2 * MINUTE), median(blocks - MINUTE, blocks)];
  report.add({
    name: 'networks, Base at 200 ms, block → webhook',
    goal: 'p99 ≤ 250 ms, no growing lag',
    isMet: share(all, 0.99) <= 250 && late <= Math.max(1.5 * early, early + 20),
    measured: `p50 ${share(all, 0.5).toFixed(0)} ms, p99 ${share(all, 0.99).toFixed(0)} ms; median of the second minute ${early.toFixed(0)} ms, of the last ${late.toFixed(0)} ms`,
    detail: `${blocks} generated blocks of ${TRANSACTIONS} transactions in ${((blocks * BLOCK_TIME_MS) / 60_000).toFixed(0)} minutes, ${lags.length} webhooks, worst ${share(all, 1).toFixed(0)} ms`,
  });
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
