// SPDX-License-Identifier: Apache-2.0
import type { BlockHeader } from './block.ts';
import type { Network } from './network.ts';

/** A head, and when its block was made. */
export interface TimedHead {
  readonly number: number;
  /** Unix milliseconds; 0 where the node does not tell. */
  readonly timeMs: number;
}

/** Heights that the measure looks back. */
const BLOCKS = 100;
/** Heights that a measure needs at least. */
const BLOCKS_MIN = 50;
/** Heights that one mean is over. Headers tell seconds, so it has to be seconds long on the fastest chain. */
const MEAN_BLOCKS = 25;
/** A shorter time is none: the heads tell the same time, or go backwards. */
const MIN_MS = 10;

/**
 * The time between a chain's blocks: measured from the heads that its owner sees anyway, and the network's own figure until
 * there are enough of them.
 *
 * It is the median, over the last 100 heights, of the mean over 25. The mean sees the 200 ms between five blocks that tell
 * the same second. The median passes over a pause of the chain and over a header that lies. Heights are counted, not
 * headers: a slot without a block takes its time, too. A local chain has no pace, so nothing is measured there.
 */
export class BlockTime {
  /** What `networks.json` says. */
  readonly configuredMs: number;
  readonly #isLocal: boolean;
  #heads: readonly TimedHead[] = [];
  #measuredMs: number | undefined;

  constructor({ blockTimeMs, isLocal = false }: Pick<Network, 'blockTimeMs' | 'isLocal'>) {
    this.configuredMs = blockTimeMs;
    this.#isLocal = isLocal;
  }

  /** The last measure; undefined until there is one. */
  get measuredMs(): number | undefined {
    return this.#measuredMs;
  }

  /** What to expect: as measured, else as configured. */
  get ms(): number {
    return this.#measuredMs ?? this.configuredMs;
  }

  /** What answers that follow the head may be kept by. Never longer than configured, whatever nodes tell. */
  get shortestMs(): number {
    return Math.min(this.ms, this.configuredMs);
  }

  /** A head as the ingestor follows it. */
  noteHeader(header: BlockHeader): void {
    this.note({ number: header.number, timeMs: toTimeMs(header) });
  }

  /** A head that was seen before, or is late, changes nothing. */
  note(head: TimedHead): void {
    if (this.#isLocal || head.timeMs <= 0) return;
    const last = this.#heads.at(-1);
    // Far below the last one: that one was not of this chain, or the chain began anew.
    if (last !== undefined && head.number < last.number - BLOCKS) this.#heads = [];
    else if (last !== undefined && head.number <= last.number) return;
    this.#heads = [...this.#heads.filter(({ number }) => number >= head.number - BLOCKS), head];
    this.#measuredMs = measure(this.#heads) ?? this.#measuredMs;
  }
}

/** Unix milliseconds, as exactly as the header tells. */
export function toTimeMs({ timestamp, timestampMs }: Pick<BlockHeader, 'timestamp' | 'timestampMs'>): number {
  return timestampMs ?? timestamp * 1_000;
}

/** How many blocks are made in a time, `least` at the fewest. */
export function blocksIn(timeMs: number, { ms }: Pick<BlockTime, 'ms'>, least: number): number {
  return Math.max(least, Math.ceil(timeMs / ms));
}

function measure(heads: readonly TimedHead[]): number | undefined {
  const [first, last] = [heads[0], heads.at(-1)];
  if (first === undefined || last === undefined || last.number - first.number < BLOCKS_MIN) return undefined;
  const means: number[] = [];
  let from = 0;
  for (const head of heads) {
    while (head.number - heads[from + 1]!.number >= MEAN_BLOCKS) from += 1;
    const count = head.number - heads[from]!.number;
    if (count >= MEAN_BLOCKS) means.push((head.timeMs - heads[from]!.timeMs) / count);
  }
  const median = means.toSorted((a, b) => a - b)[Math.floor(means.length / 2)]!;
  return median >= MIN_MS ? median : undefined;
}
