// SPDX-License-Identifier: Apache-2.0
import { setMaxListeners } from 'node:events';
import type { BlockHeader, ChainClient } from '@chainwatch/chain-core';
import { assertLinked } from './plan-advance.ts';

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
