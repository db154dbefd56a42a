// SPDX-License-Identifier: Apache-2.0
import type { StatsSeries } from '../../api/queries.ts';

export type Point = StatsSeries['points'][number];

interface Summary {
  /** Null for a single channel. */
  readonly events: number | null;
  readonly delivered: number;
  readonly failed: number;
  /** Share of the attempts that were accepted; undefined: there was none. */
  readonly successRate: number | undefined;
  /** Mean over all attempts in milliseconds; undefined: there was none. */
  readonly meanMs: number | undefined;
}

/** What a period comes to. */
export function sumPoints(points: readonly Point[]): Summary {
  const attemptsOf = ({ delivered, failed_attempts: failed }: Point): number =>
    (delivered ?? 0) + (failed ?? 0);
  const sum = (read: (point: Point) => number): number =>
    points.reduce((total, point) => total + read(point), 0);
  const attempts = sum(attemptsOf);
  const delivered = sum((point) => point.delivered ?? 0);
  return {
    events: points.every(({ events }) => events === null) ? null : sum(({ events }) => events ?? 0),
    delivered,
    failed: attempts - delivered,
    successRate: attempts === 0 ? undefined : delivered / attempts,
    meanMs:
      attempts === 0
        ? undefined
        : sum((point) => (point.latency?.mean_ms ?? 0) * attemptsOf(point)) / attempts,
  };
}

/** Two digits more where all nearly succeed; never 100 % while one failed. */
export function sayRate(rate: number | undefined): string {
  if (rate === undefined) return 'none';
  return `${rate > 0.99 && rate < 1 ? Math.min(99.99, Math.floor(rate * 10_000) / 100) : Math.round(rate * 1_000) / 10} %`;
}
