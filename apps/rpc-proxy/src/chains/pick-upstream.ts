// SPDX-License-Identifier: Apache-2.0
import type { Upstream } from '../upstreams/upstream.ts';

/**
 * The node for the next call. Of two serving nodes drawn by weight, the less busy one. If none serves, one that might:
 * not checked yet or paused, and a node that is down only as the last resort. Never a node of another chain.
 */
export function pickUpstream(
  upstreams: readonly Upstream[],
  tried: readonly Upstream[],
  serves: (upstream: Upstream) => boolean,
): Upstream | undefined {
  const open = upstreams.filter(
    (upstream) =>
      !tried.includes(upstream) &&
      !upstream.isWrongChain &&
      (upstream.isChecked || upstreams.every(({ isChecked }) => !isChecked)),
  );
  const serving = open.filter(serves);
  if (serving.length > 1) return pickOfTwo(serving);
  if (serving.length === 1) return serving[0];
  const up = open.filter(({ isDown }) => !isDown);
  return pickFreshest(up.length > 0 ? up : open);
}

/** The same for a chain with a single node. */
export function pickOnly(upstream: Upstream, tried: readonly Upstream[]): Upstream | undefined {
  return upstream.isChecked && !upstream.isWrongChain && !tried.includes(upstream) ? upstream : undefined;
}

function pickOfTwo(serving: readonly Upstream[]): Upstream {
  const one = pickByWeight(serving);
  const other = pickByWeight(serving);
  return other.load < one.load ? other : one;
}

function pickByWeight(serving: readonly Upstream[]): Upstream {
  let total = 0;
  for (const { source } of serving) total += source.weight;
  let at = Math.random() * total;
  for (const upstream of serving) {
    at -= upstream.source.weight;
    if (at < 0) return upstream;
  }
  return serving[serving.length - 1]!;
}

function pickFreshest(open: readonly Upstream[]): Upstream | undefined {
  const highest = Math.max(...open.map(({ head }) => head?.number ?? -1));
  const best = open.filter(({ head }) => (head?.number ?? -1) === highest);
  // At random: the node that was asked before may still know no more than it did.
  return best[Math.floor(Math.random() * best.length)];
}

const HEDGE_SHARE = 0.05;
const HEDGE_BURST = 10;

/** How many reads may be asked of a second node: five of every hundred, and a few at once when a node falls silent. */
export class HedgeBudget {
  #tokens = HEDGE_BURST;

  earn(): void {
    if (this.#tokens < HEDGE_BURST) this.#tokens += HEDGE_SHARE;
  }

  get hasOne(): boolean {
    return this.#tokens >= 1;
  }

  take(): void {
    this.#tokens -= 1;
  }
}
