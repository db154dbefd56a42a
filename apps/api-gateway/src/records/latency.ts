// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { LATENCY_BOUNDS_MS } from '@chainwatch/data/db';

const calls = z.int().min(0);
const upToMs = z.int().min(1).nullable();

export const latencySchema = z.object({
  calls: calls.meta({
    description: 'Calls whose time was taken: all that were answered, but for subscriptions.',
    examples: [1_190],
  }),
  mean_ms: z
    .number()
    .min(0)
    .meta({ description: 'Their mean in milliseconds.', examples: [12.41] }),
  p95_ms: upToMs.meta({
    description:
      'At least 95 of 100 took at most so many milliseconds: the bound of a bucket. Null: more than the highest bound.',
    examples: [50],
  }),
  buckets: z
    .array(
      z.object({
        up_to_ms: upToMs.meta({
          description:
            'They took at most so long, and longer than the bound before. Null: longer than any bound.',
          examples: [50],
        }),
        calls: calls.meta({ description: 'How many.', examples: [310] }),
      }),
    )
    .meta({
      description:
        'The calls by how long they took, the fastest first, without empty buckets: add them up over rows. The bounds are 1, 2, 5, 10, 20, 50 and so on up to 10,000, and 30,000.',
    }),
});

type Latency = z.infer<typeof latencySchema>;

export interface LatencyColumns {
  readonly latency_ms: number;
  /** By LATENCY_BOUNDS_MS; fewer where a release before knew fewer. */
  readonly latency_counts: readonly number[];
}

/** Null where no time was taken. */
export function describeLatency({ latency_ms, latency_counts }: LatencyColumns): Latency | null {
  const buckets = latency_counts
    .map((count, index) => ({ up_to_ms: LATENCY_BOUNDS_MS[index] ?? null, calls: count }))
    .filter((bucket) => bucket.calls > 0);
  const total = buckets.reduce((sum, bucket) => sum + bucket.calls, 0);
  if (total === 0) return null;
  let left = Math.ceil((95 * total) / 100);
  const p95 = buckets.find((bucket) => (left -= bucket.calls) <= 0)!;
  return {
    calls: total,
    mean_ms: Math.round((100 * latency_ms) / total) / 100,
    p95_ms: p95.up_to_ms,
    buckets,
  };
}
