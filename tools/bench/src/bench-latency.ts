// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, open, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import WebSocket from 'ws';
import { hitAddresses, openRecording, recipientOf } from './recordings.ts';
import { startReplay } from './replay.ts';
import type { Report } from './report.ts';
import { insertAddresses, startRig, waitUntil } from './rig.ts';
import { TransferChain } from './transfer-chain.ts';

const ROUNDS = 150;
const WARM_UP = 20;
/** The fastest networks of the catalogue have four blocks a second. At once behind each other, what follows a block (balances, attempts) would count as the next one's delay. */
const PAUSE_MS = 200;

/** A node whose next block comes when it is asked for. */
export interface BlockSource {
  readonly name: string;
  /** Milliseconds. */
  readonly goal: { readonly p50: number; readonly p99: number };
  readonly url: string;
  /** How many blocks are measured, and how many before them are not. */
  readonly rounds: number;
  readonly warmUp: number;
  /** Makes the next block: how many of its transactions go to watched addresses. */
  next(): Promise<number>;
  stop(): Promise<void>;
}

/** Block available on the node → webhook body at the receiver, against a bare script that does the same without keeping anything. */
export async function benchLatency(report: Report, directory: string): Promise<void> {
  for (const openSource of [
    () => openAnvil(1),
    () => openAnvil(200),
    () => openReplay(directory, 200),
    () => openReplay(directory, 1_500),
  ])
    await benchSource(report, await openSource());
}

async function benchSource(report: Report, source: BlockSource): Promise<void> {
  const receiver = new Receiver();
  const hookUrl = await receiver.listen();
  const rig = await startRig(['block-ingestor-evm', 'tx-analyzer', 'balance-service', 'notifier']);
  try {
    await insertAddresses(rig, hitAddresses);
    await rig.activate(source.url);
    await waitUntil('the start', {
      timeoutMs: 30_000,
      done: async () => (await rig.cursorNumber()) >= 0,
    }).catch(rig.explain);
    await waitUntil('the balances of what was registered', {
      timeoutMs: 60_000,
      done: async () => (await rig.db.query('SELECT FROM balance_reads LIMIT 1')).rowCount === 0,
      everyMs: 100,
    });
    await rig.call('POST', '/notification_channels/webhook', {
      name: 'bench',
      url: hookUrl,
      event_types: ['transaction.detected'],
    });
    const service = await measureLatency(source, receiver, () => Promise.resolve());
    await rig.services.stop();
    const stop = await followBare(source.url, hookUrl);
    const disk = await openDisk();
    const floor = await measureLatency(source, receiver, disk.flush);
    stop();
    const flushes = await disk.close();
    report.add({
      name: `latency at head, block → webhook, ${source.name}`,
      goal: `p50 ≤ ${source.goal.p50} ms, p99 ≤ ${source.goal.p99} ms`,
      isMet: Number(at(service, 0.5)) <= source.goal.p50 && Number(at(service, 0.99)) <= source.goal.p99,
      measured: `p50 ${at(service, 0.5)} ms (${ratio(service, floor, 0.5)} × floor), p99 ${at(service, 0.99)} ms (${ratio(service, floor, 0.99)} × floor)`,
      detail: `${service.length} blocks; floor p50 ${at(floor, 0.5)} ms, p99 ${at(floor, 0.99)} ms; meanwhile a flush of 8 KiB to the disk took p50 ${at(flushes, 0.5)} ms, p99 ${at(flushes, 0.99)} ms, at most ${at(flushes, 1)} ms: a block waits for two, one after the other`,
    });
  } finally {
    await rig.stop();
    receiver.close();
    await source.stop();
  }
}

function goalOf(transactions: number): BlockSource['goal'] {
  if (transactions === 1) return { p50: 50, p99: 150 };
  return transactions <= 200 ? { p50: 60, p99: 200 } : { p50: 120, p99: 300 };
}

/** A real node, which takes its time for large blocks. */
export async function openAnvil(transactions: number): Promise<BlockSource & { readonly token: string }> {
  const chain = await TransferChain.open();
  const hits = Math.ceil(transactions / 100);
  let turn = 0;
  return {
    name: `anvil, blocks of ${transactions}`,
    goal: goalOf(transactions),
    url: chain.anvil.url,
    token: chain.token,
    rounds: ROUNDS,
    warmUp: WARM_UP,
    next: async () => {
      // The watched ones stand at the end of the block.
      const others = Array.from({ length: transactions - hits }, (_, index) =>
        recipientOf(100 * turn + 1 + (index % 99)),
      );
      await chain.send([...others, ...Array.from({ length: hits }, () => recipientOf(100 * turn++))]);
      await chain.anvil.rpc('evm_mine', []);
      return hits;
    },
    stop: () => chain.anvil.stop(),
  };
}

/** Recorded replies: a node as fast as one can be. */
async function openReplay(directory: string, transactions: 200 | 1_500): Promise<BlockSource> {
  const { file, first, blocks } = await openRecording(directory, transactions);
  const replay = await startReplay(file);
  const warmUp = Math.min(WARM_UP, Math.floor(blocks / 10));
  let head = first - 1;
  await replay.setHead(head);
  return {
    name: `generated, blocks of ${transactions}`,
    goal: goalOf(transactions),
    url: replay.url,
    rounds: Math.min(ROUNDS, Math.floor(blocks / 2) - warmUp),
    warmUp,
    next: async () => {
      await replay.setHead((head += 1));
      return transactions / 100;
    },
    stop: async () => replay.stop(),
  };
}

/** Counts the webhooks of transactions that were detected. */
export class Receiver {
  #count = 0;
  #lastAtMs = 0;
  readonly #server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const event = JSON.parse(Buffer.concat(chunks).toString()) as { type: string };
      if (event.type === 'transaction.detected') this.#take();
      res.writeHead(204).end();
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  get count(): number {
    return this.#count;
  }

  /** When the last of them came. */
  get lastAtMs(): number {
    return this.#lastAtMs;
  }

  close(): void {
    this.#server.close();
  }

  #take(): void {
    this.#count += 1;
    this.#lastAtMs = performance.now();
  }
}

/** From the node's word of a block, as its subscribers hear it, until the last webhook is there. */
export async function measureLatency(
  source: BlockSource,
  receiver: Receiver,
  between: () => Promise<void>,
): Promise<number[]> {
  const latencies: number[] = [];
  let saidAtMs = 0;
  const stop = await subscribe(source.url, () => (saidAtMs = performance.now()));
  for (let round = 0; round < source.rounds + source.warmUp; round += 1) {
    const before = receiver.count;
    saidAtMs = 0;
    const hits = await source.next();
    await waitUntil(`the ${hits} webhooks of a block`, {
      timeoutMs: 10_000,
      done: async () => receiver.count >= before + hits && saidAtMs > 0,
      everyMs: 1,
    });
    await delay(PAUSE_MS);
    await between();
    // One too many would be taken for the next block's.
    if (receiver.count !== before + hits)
      throw new Error(`expected ${hits} webhooks of a block, got ${receiver.count - before}`);
    if (round >= source.warmUp) latencies.push(Math.max(0, receiver.lastAtMs - saidAtMs));
  }
  stop();
  return latencies.sort((a, b) => a - b);
}

/** Resolves when the node pushes its heads. Returns stop. */
async function subscribe(nodeUrl: string, onHead: (hash: string) => void): Promise<() => void> {
  const socket = new WebSocket(nodeUrl.replace('http', 'ws'));
  await new Promise((resolve) => socket.once('open', resolve));
  const isSubscribed = new Promise((resolve) => socket.once('message', resolve));
  socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}');
  await isSubscribed;
  socket.on('message', (data) =>
    onHead((JSON.parse(data.toString()) as { params: { result: { hash: string } } }).params.result.hash),
  );
  return () => socket.close();
}

/** The floor: a head over WebSocket, block and receipts fetched and parsed, a POST for each transaction to a watched address. */
function followBare(nodeUrl: string, hookUrl: string): Promise<() => void> {
  const watched = new Set(hitAddresses);
  const call = async (
    method: string,
    params: unknown[],
  ): Promise<{ result: { transactions: { to: string; input: string }[] } }> =>
    (
      await fetch(nodeUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
    ).json() as never;
  return subscribe(nodeUrl, (hash) => {
    void Promise.all([call('eth_getBlockByHash', [hash, true]), call('eth_getBlockReceipts', [hash])]).then(
      ([block]) => {
        const hits = block.result.transactions.filter(
          ({ to, input }) => watched.has(to) || watched.has(`0x${input.slice(34, 74)}`),
        );
        return Promise.all(
          hits.map((transaction) =>
            fetch(hookUrl, {
              method: 'POST',
              body: JSON.stringify({ type: 'transaction.detected', data: { transaction } }),
            }),
          ),
        );
      },
    );
  });
}

/** What commits wait for, on the disk that the database is on. */
async function openDisk(): Promise<{ flush(): Promise<void>; close(): Promise<number[]> }> {
  const directory = await mkdtemp(join(tmpdir(), 'chainwatch-bench-'));
  const file = await open(join(directory, 'flushed'), 'w');
  const page = Buffer.alloc(8_192, 1);
  const times: number[] = [];
  return {
    flush: async () => {
      const started = performance.now();
      await file.write(page, 0, page.length, page.length * times.length);
      await file.datasync();
      times.push(performance.now() - started);
    },
    close: async () => {
      await file.close();
      await rm(directory, { recursive: true });
      return times.sort((a, b) => a - b);
    },
  };
}

export const at = (sorted: readonly number[], share: number): string =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1);
export const ratio = (a: readonly number[], b: readonly number[], share: number): string =>
  (Number(at(a, share)) / Number(at(b, share))).toFixed(2);

/** Both as multiples of the floor and by themselves. */
