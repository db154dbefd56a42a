// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  type BlockHeader,
  type BlockRef,
  type ChainClient,
} from '@chainwatch/chain-core';
import { assertLinked } from './plan-advance.ts';
import { BranchMovedError } from './errors.ts';
import type { FeedStore } from './feed-store.ts';

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
