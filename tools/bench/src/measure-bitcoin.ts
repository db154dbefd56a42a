// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { address, Block as LibraryBlock } from 'bitcoinjs-lib';
import type { Block } from '@chainwatch/chain-core';
import type { Database } from '@chainwatch/db';
import { CoinWatch } from '../../../apps/tx-analyzer/src/watch/coin-watch.ts';
import { FamilyWatch } from '../../../apps/tx-analyzer/src/watch/family-watch.ts';
import { UtxoFinder } from '../../../apps/tx-analyzer/src/utxo/utxo-finder.ts';
import { bitcoinFamily } from '@chainwatch/chain-bitcoin';
import { decodeBlock } from '../../../libs/chain-bitcoin/src/read-block.ts';
import { readTraits } from '../../../libs/chain-bitcoin/src/networks.ts';
import { parseHex } from '../../../libs/chain-bitcoin/src/parse-hex.ts';

/** What `measure-bitcoin.ts <file> <number> <hash> <addresses>` prints, as JSON. */
export interface BitcoinMeasurement {
  readonly rssBytes: number;
  readonly peakRssBytes: number;
  readonly loadMs: number;
  readonly ownMs: number;
  /** Of the processor, all threads: what a busy machine does not stretch. */
  readonly ownCpuMs: number;
  readonly libraryMs: number;
  readonly bytes: number;
  readonly transactions: number;
  readonly outputs: number;
  readonly candidates: number;
}

const ROUNDS = 31;
/** Of the library, which takes so much longer. */
const LIBRARY_ROUNDS = 7;
const keyHash = Buffer.alloc(20);

// A process of its own, so that what stays resident is what the watch structures of the analyzer take.
const [file = '', number = '', hash = '', count = ''] = process.argv.slice(2);
const network = bitcoinFamily.catalogue.networks.find(({ name }) => name === 'bitcoin')!;
const ref = { number: Number(number), hash };
const hex = readFileSync(file).toString('hex');
const block = decodeBlock(ref, parseHex('block', hex), readTraits(network));

const loading = performance.now();
const watch = await FamilyWatch.load(fakeDatabase(Number(count)), 'bitcoin', bitcoinFamily.utxo);
const coins = new CoinWatch(fakeDatabase(Number(count)), network.gid);
await coins.load();
const loadMs = performance.now() - loading;
watchPartOf(block);
global.gc?.();
const rssBytes = process.memoryUsage().rss;

const own: number[] = [];
const ownCpu: number[] = [];
const library: number[] = [];
let candidates = 0;
for (let round = 0; round < ROUNDS; round += 1) {
  const before = process.cpuUsage();
  own.push(
    time(
      () =>
        (candidates = new UtxoFinder({ scripts: watch, coins }).find(
          decodeBlock(ref, parseHex('block', hex), readTraits(network)).transactions,
        ).length),
    ),
  );
  const { user, system } = process.cpuUsage(before);
  ownCpu.push((user + system) / 1_000);
  if (round < LIBRARY_ROUNDS) library.push(time(() => deriveAddresses(LibraryBlock.fromHex(hex))));
}
const measurement: BitcoinMeasurement = {
  rssBytes,
  peakRssBytes: process.resourceUsage().maxRSS * 1024,
  loadMs,
  ownMs: median(own),
  ownCpuMs: median(ownCpu),
  libraryMs: median(library),
  bytes: hex.length / 2,
  transactions: block.transactions.length,
  outputs: block.transactions.reduce((sum, { utxo }) => sum + (utxo?.outputs.length ?? 0), 0),
  candidates,
};
process.stdout.write(`${JSON.stringify(measurement)}\n`);

/** Answers the cursors of the watch structures with as many different addresses and coins. */
function fakeDatabase(total: number): Database {
  let served = 0;
  const query = async (statement: string | { text: string }): Promise<{ rows: unknown[] }> => {
    const text = typeof statement === 'string' ? statement : statement.text;
    if (/count\(\*\)/.test(text)) return { rows: [{ xmin: '1', total }] };
    const limit = Number(/^FETCH (\d+)/.exec(text)?.[1] ?? 0);
    const rows = Array.from({ length: Math.min(limit, total - served) }, (_, index) =>
      text.endsWith('watched') ? [toAddress(served + index)] : toCoin(served + index),
    );
    served += rows.length;
    return { rows };
  };
  return {
    query,
    transaction: (work: (sql: unknown) => Promise<unknown>) => work({ query }),
  } as unknown as Database;
}

/** A P2WPKH address; the key's hash is scattered from the number, which its first four bytes tell apart. */
function toAddress(index: number): string {
  keyHash.writeUInt32BE(index);
  let state = index + 1;
  for (let at = 4; at < keyHash.length; at += 1) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + at;
    keyHash[at] = state >>> 9;
  }
  return address.toBech32(keyHash, 0, 'bc');
}

function toCoin(index: number): { txid: string; vout: number } {
  const state = Math.imul(index ^ (index >>> 16), 0x45d9f3b) >>> 0;
  return {
    txid: `${index.toString(16).padStart(8, '0')}${state.toString(16).padStart(8, '0').repeat(7)}`,
    vout: index % 3,
  };
}

/** Every hundredth payee and every hundredth coin that the block spends are somebody's. */
function watchPartOf({ transactions }: Block): void {
  for (const { utxo, index } of transactions) {
    if (index % 100 !== 50) continue;
    const found = utxo!.outputs
      .map(({ matchKey }) => bitcoinFamily.utxo!.findAddress(network, matchKey))
      .find((text) => text !== undefined);
    if (found !== undefined) watch.add(found);
    coins.add(utxo!.inputs.slice(0, 1));
  }
}

function deriveAddresses(raw: LibraryBlock): number {
  let derived = 0;
  for (const { outs } of raw.transactions ?? []) {
    for (const { script } of outs) {
      try {
        address.fromOutputScript(script);
        derived += 1;
      } catch {
        // OP_RETURN has none.
      }
    }
  }
  return derived;
}

function time(work: () => unknown): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]!;
}
