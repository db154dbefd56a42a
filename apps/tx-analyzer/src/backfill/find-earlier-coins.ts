// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  type Block,
  type BlockHeader,
  type BlockRef,
  type ChainClient,
  type Coin,
  type Outpoint,
  type UtxoCodec,
} from '@chainwatch/chain-core';
import type { BackfillAddress, BackfillBatch, BackfillMethod } from './backfill-batch.ts';

export interface EarlierCoins {
  readonly method: BackfillMethod;
  /** Coins unspent just before the block that the address counts from. */
  readonly coins: readonly Coin[];
  /** Blocks below this one were not searched. */
  readonly fromBlock: number;
  /**
   * For each block that an address counts from: the hash of its parent on the branch that was searched. Without an
   * entry nothing below the block was searched.
   */
  readonly parents: ReadonlyMap<number, string>;
  /** What could not be found out, to be stored with the backfill. */
  readonly reason?: string;
}

interface FindDeps {
  readonly client: ChainClient;
  /** Reads through the gate that holds back blocks with something unknown. */
  readonly readBlock: (ref: BlockRef, signal: AbortSignal) => Promise<Block>;
  readonly codec: UtxoCodec;
  readonly signal: AbortSignal;
  /** A rescan's progress: blocks below `nextBlock` were read. */
  readonly onProgress: (nextBlock: number, toBlock: number) => Promise<void>;
}

const HEADERS_AT_ONCE = 200;
const BODIES_AT_ONCE = 8;
/** From this many blocks between registration and scan on, a rescan is made instead if it reads fewer blocks. */
const SPENT_BLOCKS_MAX = 1_000;

/**
 * The coins that each address had when it began to count, from the node or an index if one can tell, otherwise from
 * the blocks.
 * @throws BlockNotFoundError while the node is behind the registration
 */
export async function findEarlierCoins(deps: FindDeps, batch: BackfillBatch): Promise<EarlierCoins> {
  return (await scanCoins(deps, batch)) ?? rescanBlocks(deps, batch);
}

async function scanCoins(
  { client, readBlock, codec, signal }: FindDeps,
  { addresses, fromBlock }: BackfillBatch,
): Promise<EarlierCoins | undefined> {
  const scan = await client.coins?.scanCoins(
    addresses.map((entry) => entry.address),
    signal,
  );
  if (client.coins === undefined || scan === undefined) return undefined;
  const heights = addresses.map((entry) => entry.watchedFrom);
  const highest = Math.max(...heights);
  if (scan.at.number < highest - 1)
    throw new BlockNotFoundError(
      `the node scanned its coins at ${scan.at.number}, expected ${highest - 1} or above`,
    );
  const lowest = Math.min(...heights);
  const watchedFrom = new Map(addresses.map((entry) => [entry.address, entry.watchedFrom]));
  const coins = scan.coins.filter((coin) => coin.blockNumber < (watchedFrom.get(coin.address) ?? 0));
  if (scan.at.number - lowest >= Math.max(SPENT_BLOCKS_MAX, highest - fromBlock)) return undefined;
  const headers = await readLinkedHeaders(client, {
    from: Math.max(lowest - 1, 0),
    to: scan.at.number,
    signal,
  });
  const last = headers.at(-1);
  // A block of another branch than the scan's would give other coins.
  if (last?.hash !== scan.at.hash)
    throw new BlockNotFoundError(
      `expected the scan to stand at ${last?.hash}, got ${scan.at.hash}: the chain changed during the scan`,
    );
  const common = { method: 'scan', fromBlock: 0, parents: findParents(headers, heights) } as const;
  // Coins spent between registration and scan are not in the scan, but their spending must be recorded.
  const spent = await readSpentSince(
    { client, readBlock, codec, signal },
    addresses,
    headers.filter(({ number }) => number >= lowest),
  );
  if (spent === undefined) {
    return {
      ...common,
      coins,
      reason: `the node does not tell spent outputs: payments out of older coins in blocks ${lowest} to ${scan.at.number} are not told`,
    };
  }
  return { ...common, coins: [...coins, ...spent] };
}

function findParents(headers: readonly BlockHeader[], watchedFrom: readonly number[]): Map<number, string> {
  const wanted = new Set(watchedFrom);
  return new Map(
    headers.flatMap(({ number, hash }) => (wanted.has(number + 1) ? [[number + 1, hash] as const] : [])),
  );
}

/**
 * Coins of `addresses` that are spent in blocks up to the scan's. Coins newer than the registration are known
 * already.
 */
async function readSpentSince(
  { client, readBlock, codec, signal }: Pick<FindDeps, 'client' | 'readBlock' | 'codec' | 'signal'>,
  addresses: readonly BackfillAddress[],
  headers: readonly BlockHeader[],
): Promise<Coin[] | undefined> {
  const byMatchKey = new Map(addresses.map((entry) => [codec.matchKeyOf(entry.address), entry]));
  const coins: Coin[] = [];
  /** The block number of each transaction read; coins created after the registration are known already. */
  const heights = new Map<string, number>();
  for (const header of headers) {
    const [block, outputs] = await Promise.all([
      readBlock(header, signal),
      client.coins?.readSpentOutputs(header, signal),
    ]);
    if (outputs === undefined) return undefined;
    for (const { hash } of block.transactions) heights.set(hash, header.number);
    for (const [outpoint, output] of outputs) {
      const entry = byMatchKey.get(output.matchKey);
      if (entry === undefined || header.number < entry.watchedFrom) continue;
      const { txid, vout } = splitOutpoint(outpoint);
      if ((heights.get(txid) ?? 0) >= entry.watchedFrom) continue;
      // The node does not return its height; it certainly existed just before the registration.
      coins.push({
        txid,
        vout,
        address: entry.address,
        amountRaw: output.amountRaw,
        isCoinbase: false,
        blockNumber: entry.watchedFrom - 1,
      });
    }
  }
  return coins;
}

function splitOutpoint(outpoint: string): Outpoint {
  const split = outpoint.lastIndexOf(':');
  return { txid: outpoint.slice(0, split), vout: Number(outpoint.slice(split + 1)) };
}

async function rescanBlocks(deps: FindDeps, { addresses, fromBlock }: BackfillBatch): Promise<EarlierCoins> {
  const { client, readBlock, codec, signal, onProgress } = deps;
  const wanted: Wanted = {
    byMatchKey: new Map(addresses.map((entry) => [codec.matchKeyOf(entry.address), entry])),
    watchedFrom: new Map(addresses.map((entry) => [entry.address, entry.watchedFrom])),
  };
  const coins = new Map<string, Coin>();
  const parents = new Map<number, string>();
  const heights = addresses.map((entry) => entry.watchedFrom);
  const to = Math.max(...heights) - 1;
  let previous: BlockHeader | undefined;
  for (let next = fromBlock; next <= to; next += HEADERS_AT_ONCE) {
    const headers = await readLinkedHeaders(client, {
      from: next,
      to: Math.min(next + HEADERS_AT_ONCE - 1, to),
      signal,
    });
    if (previous !== undefined && headers[0]?.parentHash !== previous.hash)
      throw new BlockNotFoundError(
        `block ${next} does not follow ${previous.hash}: the chain changed during the rescan`,
      );
    previous = headers.at(-1);
    for (const [number, hash] of findParents(headers, heights)) parents.set(number, hash);
    for (let start = 0; start < headers.length; start += BODIES_AT_ONCE) {
      const blocks = await Promise.all(
        headers.slice(start, start + BODIES_AT_ONCE).map((header) => readBlock(header, signal)),
      );
      for (const block of blocks) applyBlock(block, wanted, coins);
    }
    await onProgress(Math.min(next + HEADERS_AT_ONCE, to + 1), to);
  }
  return { method: 'rescan', coins: [...coins.values()], fromBlock, parents };
}

interface Wanted {
  readonly byMatchKey: ReadonlyMap<string, BackfillAddress>;
  readonly watchedFrom: ReadonlyMap<string, number>;
}

/**
 * Keeps each address's coins as they were when it began to count: the analyzer records what later blocks do to
 * them.
 */
function applyBlock(block: Block, { byMatchKey, watchedFrom }: Wanted, coins: Map<string, Coin>): void {
  for (const { hash, utxo } of block.transactions) {
    if (utxo === undefined) continue;
    for (const { txid, vout } of utxo.inputs) {
      const coin = coins.get(`${txid}:${vout}`);
      if (coin !== undefined && block.number < (watchedFrom.get(coin.address) ?? 0))
        coins.delete(`${txid}:${vout}`);
    }
    for (const [vout, { matchKey, amountRaw }] of utxo.outputs.entries()) {
      const entry = byMatchKey.get(matchKey);
      if (entry === undefined || block.number >= entry.watchedFrom) continue;
      coins.set(`${hash}:${vout}`, {
        txid: hash,
        vout,
        address: entry.address,
        amountRaw,
        isCoinbase: utxo.isCoinbase,
        blockNumber: block.number,
      });
    }
  }
}

async function readLinkedHeaders(
  client: ChainClient,
  { from, to, signal }: { readonly from: number; readonly to: number; readonly signal: AbortSignal },
): Promise<BlockHeader[]> {
  if (from > to) return [];
  const headers = await client.readHeaders(from, to, signal);
  if (headers.length !== to - from + 1)
    throw new BlockNotFoundError(
      `expected the headers of blocks ${from} to ${to}, the node has ${headers.length} of them`,
    );
  return headers;
}
