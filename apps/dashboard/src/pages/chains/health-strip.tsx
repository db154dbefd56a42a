// SPDX-License-Identifier: Apache-2.0
import type { Node } from '../../api/chain-queries.ts';
import { fillQuarters, sayHealth } from './node-health.ts';

const FILLS = { good: 'fill-ok-dot', mixed: 'fill-warn-dot', bad: 'fill-bad-dot', none: 'fill-line' };
const [WIDTH, HEIGHT] = [4, 16];

/** How a node was over the last 24 hours, a quarter of an hour each; nothing before there is a report. */
export function HealthStrip({ history }: { readonly history: Node['history'] }) {
  if (history.length === 0) return null;
  const quarters = fillQuarters(history, Date.now());
  const label = `Last 24 hours: ${sayHealth(history)}`;
  return (
    <figure className="flex flex-col gap-0.5">
      <svg
        viewBox={`0 0 ${quarters.length * WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        className="h-4 w-full"
      >
        {quarters.map(({ at, state }, index) => (
          <rect key={at} x={index * WIDTH} width={WIDTH - 1} height={HEIGHT} className={FILLS[state]} />
        ))}
      </svg>
      <figcaption className="text-xs text-faint">{label}</figcaption>
    </figure>
  );
}
