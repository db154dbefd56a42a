// SPDX-License-Identifier: Apache-2.0
import { setMaxListeners } from 'node:events';
import {
  BlockNotFoundError,
  type BlockHeader,
  type BlockRef,
  type ChainClient,
} from '@chainwatch/chain-core';
import { assertLinked } from './plan-batches.ts';
import { BranchMovedError } from './errors.ts';
import type { FeedStore } from './feed-store.ts';

export interface RangeOptions {
  readonly from: number;
  readonly to: number;
  /** Headers of one request, at most. */
  readonly size: number;
  /** Requests under way at once. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

/** Chunks grow to their size from here, so that the first blocks arrive soon. */
const FIRST_SIZE = 16;
/** A chain may skip that many chunks (a long run of empty slots); a node that has nothing for longer is asked again later. */
const EMPTY_CHUNKS_MAX = 64;

/**
 * Headers of [from, to] in ascending chunks, fetched in parallel; empty chunks are left out. Headers are linked
 * within a chunk; the caller checks the links between chunks.
 */
export async function* readRanges(
  client: Pick<ChainClient, 'readHeaders'>,
  options: RangeOptions,
): AsyncGenerator<BlockHeader[]> {
  const { to, size, concurrency } = options;
  // Aborts the requests that are still under way when the caller stops early.
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  setMaxListeners(0, signal);
  const pending: Promise<BlockHeader[]>[] = [];
  let next = options.from;
  let length = Math.min(FIRST_SIZE, size);
  let emptyChunks = 0;
  const fill = (): void => {
    while (pending.length < concurrency && next <= to) {
      pending.push(readChunk(client, { from: next, to: Math.min(next + length - 1, to), signal }));
      next += length;
      length = Math.min(length * 2, size);
    }
  };
  try {
    for (fill(); pending.length > 0 && emptyChunks < EMPTY_CHUNKS_MAX; fill()) {
      const headers = await pending.shift()!;
      emptyChunks = headers.length === 0 ? emptyChunks + 1 : 0;
      if (headers.length > 0) yield headers;
    }
  } finally {
    stop.abort();
  }
}

function readChunk(
  client: Pick<ChainClient, 'readHeaders'>,
  { from, to, signal }: { readonly from: number; readonly to: number; readonly signal: AbortSignal },
): Promise<BlockHeader[]> {
  const chunk = client.readHeaders(from, to, signal).then((headers) => {
    assertLinked(headers, from, to);
    return headers;
  });
  // It may reject while an earlier chunk is still awaited; the caller sees the rejection when its turn comes.
  chunk.catch(() => undefined);
  return chunk;
}

export interface Branch {
  /** Absent: the branches part below our first block. */
  readonly ancestor: BlockRef | undefined;
  /** The new branch above the ancestor, ascending. */
  readonly branch: readonly BlockHeader[];
}

interface Search {
  readonly client: Pick<ChainClient, 'findHeaderByHash' | 'findHeaderByNumber' | 'readHeaders'>;
  readonly store: Pick<FeedStore, 'readCanonical'>;
  readonly startNumber: number;
  readonly signal: AbortSignal;
}

/**
 * Steps that go by hash. A deeper search reads whole ranges by number, each larger than the last, up to the last
 * size.
 */
const HASH_STEPS = 2;
const BATCH_SIZES = [16, 64, 256];

/**
 * Walks from `segment` (ascending, linked) down to the highest block that is canonical in our feed. Every header
 * read is linked by parent hash to the one above it, so a node that reorganizes meanwhile cannot mix branches.
 * @throws BlockNotFoundError when the node does not know a parent of its own head, BranchMovedError
 */
export async function findAncestor(search: Search, segment: readonly BlockHeader[]): Promise<Branch> {
  let branch = [...segment];
  for (let step = 0; ; step += 1) {
    const bottom = branch[0]!;
    const ancestor = await findParent(search, bottom);
    if (ancestor !== undefined) return { ancestor, branch };
    if (bottom.number <= search.startNumber)
      return { ancestor: undefined, branch: trimBelow(branch, search.startNumber) };
    const below =
      step < HASH_STEPS
        ? [await readParent(search, bottom)]
        : await readBatch(search, bottom, step - HASH_STEPS);
    const shared = await findShared(search, below);
    branch = [...below.slice(shared.position + 1), ...branch];
    if (shared.ref !== undefined) return { ancestor: shared.ref, branch };
  }
}

/** Our canonical block that is the parent of `header`. */
async function findParent({ store }: Search, header: BlockHeader): Promise<BlockRef | undefined> {
  const number = parentNumberOf(header);
  const ours = await store.readCanonical(number, number);
  return ours.some(({ hash }) => hash === header.parentHash)
    ? { number, hash: header.parentHash }
    : undefined;
}

async function readParent({ client, signal }: Search, header: BlockHeader): Promise<BlockHeader> {
  // Not every node finds blocks by their hash.
  const parent =
    (await client.findHeaderByHash(header.parentHash, signal)) ??
    (await client.findHeaderByNumber(parentNumberOf(header), signal));
  if (parent?.hash !== header.parentHash)
    throw new BlockNotFoundError(
      `the node has block ${header.number} but not its parent ${header.parentHash}`,
    );
  return parent;
}

async function readBatch(
  { client, startNumber, signal }: Search,
  bottom: BlockHeader,
  round: number,
): Promise<BlockHeader[]> {
  const size = BATCH_SIZES[Math.min(round, BATCH_SIZES.length - 1)]!;
  const to = parentNumberOf(bottom);
  const from = Math.min(Math.max(to - size + 1, startNumber), to);
  const headers = await client.readHeaders(from, to, signal);
  assertLinked(headers, from, to);
  if (headers.at(-1)?.hash !== bottom.parentHash) {
    throw new BranchMovedError(
      `expected ${bottom.parentHash} below block ${bottom.number}, got ${headers.at(-1)?.hash ?? 'no block'}`,
    );
  }
  return headers;
}

/** The highest of `headers` that is canonical in our feed, and its index among them (-1: none). */
async function findShared(
  { store }: Search,
  headers: readonly BlockHeader[],
): Promise<{ ref?: BlockRef; position: number }> {
  const ours = new Set(
    (await store.readCanonical(headers[0]!.number, headers.at(-1)!.number)).map(({ hash }) => hash),
  );
  const position = headers.findLastIndex(({ hash }) => ours.has(hash));
  const found = headers[position];
  return found === undefined ? { position } : { ref: { number: found.number, hash: found.hash }, position };
}

function parentNumberOf(header: BlockHeader): number {
  return header.parentNumber ?? header.number - 1;
}

/** We follow from our first height on: a branch that ends below it is cut to its last block. */
function trimBelow(branch: readonly BlockHeader[], startNumber: number): BlockHeader[] {
  const kept = branch.filter(({ number }) => number >= startNumber);
  return kept.length > 0 ? kept : branch.slice(-1);
}
