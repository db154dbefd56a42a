import type { Upstream } from '../upstreams/upstream.ts';

/**
 * The node for the next call: by weight among two of those that serve, the less busy one. Where none serves, one that
 * might: not checked yet, asked for a pause, and at last one that is down; never one of another chain.
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

/** Where there is one node there is nothing to weigh. */
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
  // Any of them: the one that was asked before may know no more than it did.
  return best[Math.floor(Math.random() * best.length)];
}
