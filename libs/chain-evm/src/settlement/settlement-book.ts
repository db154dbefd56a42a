// SPDX-License-Identifier: Apache-2.0
import { LRUCache } from 'lru-cache';
import type { Block, BlockRef } from '@chainwatch/chain-core';
import type { KeptBlock } from './kept-block.ts';
import type { SettlementHeader } from './settlement-header.ts';

const BLOCKS_MAX = 64;
const BYTES_MAX = 64 * 1_024 * 1_024;
const HEADERS_MAX = 2_048;

export interface BookLimits {
  /** Blocks that are kept, default 64. */
  readonly blocksMax?: number;
  /** Estimated bytes of those blocks, default 64 MiB. A larger block is not kept. */
  readonly bytesMax?: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/**
 * What one endpoint told of blocks whose receipts a later header proves: recent blocks, so that nothing is asked for twice
 * while their evidence is awaited, and headers. Losing any of it costs requests, nothing else.
 */
export class SettlementBook {
  readonly now: () => number;
  readonly #blocks: LRUCache<string, KeptBlock>;
  readonly #headers = new LRUCache<number, SettlementHeader>({ max: HEADERS_MAX });
  readonly #reading = new Map<string, Promise<KeptBlock>>();
  readonly #asking = new Map<string, Promise<unknown>>();
  /** Unix milliseconds at which the node had nothing after a header, by its hash. */
  readonly #lastAtMs = new LRUCache<string, number>({ max: BLOCKS_MAX });
  #asynchronousFrom = Number.POSITIVE_INFINITY;

  constructor({ blocksMax = BLOCKS_MAX, bytesMax = BYTES_MAX, now = Date.now }: BookLimits = {}) {
    this.now = now;
    this.#blocks = new LRUCache({
      max: blocksMax,
      maxSize: bytesMax,
      sizeCalculation: ({ byteLength }) => byteLength,
    });
  }

  /** Whether the block of a height is known to be one that a later header proves. */
  covers(number: number): boolean {
    return number >= this.#asynchronousFrom;
  }

  find(hash: string): KeptBlock | undefined {
    return this.#blocks.get(hash);
  }

  /** A kept block, or what `read` gives; blocks that are being read are not read twice. */
  async load(hash: string, read: () => Promise<KeptBlock>): Promise<KeptBlock> {
    return (
      this.#blocks.get(hash) ??
      shareFlight(this.#reading, hash, async () => {
        const kept = await read();
        this.keep(kept);
        return kept;
      })
    );
  }

  keep(kept: KeptBlock): void {
    const { header } = kept;
    if (header.isAsynchronous) this.#asynchronousFrom = Math.min(this.#asynchronousFrom, header.number);
    // The caller names blocks by hashes of its own chain, which outweigh what the endpoint has at a height.
    this.#headers.set(header.number, header);
    if (this.#blocks.peek(header.hash)?.provedBy === undefined) this.#blocks.set(header.hash, kept);
  }

  forget(blocks: readonly BlockRef[]): void {
    for (const { hash } of blocks) this.#blocks.delete(hash);
  }

  setDecoded(kept: KeptBlock, block: Block): void {
    kept.block = block;
    kept.read = undefined;
  }

  setProved(blocks: readonly KeptBlock[], { number, hash }: BlockRef): void {
    for (const kept of blocks) kept.provedBy = { number, hash };
  }

  /** The header that proved a block, unless the caller's chain turned out to have another one at its height. */
  findProof(kept: KeptBlock): BlockRef | undefined {
    const { provedBy } = kept;
    if (provedBy === undefined) return undefined;
    const header = this.#headers.get(provedBy.number);
    if (header !== undefined && header.hash !== provedBy.hash) kept.provedBy = undefined;
    return kept.provedBy;
  }

  headerAt(number: number): SettlementHeader | undefined {
    return this.#headers.get(number);
  }

  noteHeader(header: SettlementHeader): void {
    this.#headers.set(header.number, header);
  }

  /** Forgets the headers from a height on. */
  forgetHeaders(from: number): void {
    for (const number of this.#headers.keys()) if (number >= from) this.#headers.delete(number);
    this.#lastAtMs.clear();
  }

  /** The node has nothing after a header. */
  noteLast(hash: string): void {
    this.#lastAtMs.set(hash, this.now());
  }

  /** Whether the node had nothing after a header less than `forMs` ago. */
  isLast(hash: string, forMs: number): boolean {
    const atMs = this.#lastAtMs.get(hash);
    return atMs !== undefined && this.now() - atMs < forMs;
  }

  /** Joins a request for the headers after one that is under way. */
  shareAsking<T>(hash: string, ask: () => Promise<T>): Promise<T> {
    return shareFlight(this.#asking as Map<string, Promise<T>>, hash, ask);
  }
}

/**
 * Joins the work that is under way for `key`, or begins it. Work that fails is done again by each that joined it: whoever
 * began it may have given up.
 */
export async function shareFlight<T>(
  flights: Map<string, Promise<T>>,
  key: string,
  work: () => Promise<T>,
): Promise<T> {
  const running = flights.get(key);
  if (running !== undefined) {
    const joined = await running.then(
      (value) => ({ value }),
      () => undefined,
    );
    if (joined !== undefined) return joined.value;
  }
  const own: Promise<T> = work().finally(() => {
    if (flights.get(key) === own) flights.delete(key);
  });
  flights.set(key, own);
  return own;
}
