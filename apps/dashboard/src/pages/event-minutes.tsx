import type { Stats } from '../api/queries.ts';
import { useNow } from '../ui/time.tsx';

const MINUTES = 60;
const MINUTE_MS = 60_000;
const [WIDTH, HEIGHT, GAP] = [600, 96, 2];

/** A bar for each minute of the last hour. */
export function EventMinutes({ events }: { readonly events: Stats['events'] }) {
  const last = Math.floor(useNow() / MINUTE_MS) * MINUTE_MS;
  const counts = new Map(events.minutes.map(({ at, count }) => [Date.parse(at), count]));
  const bars = Array.from({ length: MINUTES }, (_, index) => {
    const at = last - (MINUTES - 1 - index) * MINUTE_MS;
    return { at, count: counts.get(at) ?? 0 };
  });
  const max = Math.max(1, ...bars.map(({ count }) => count));
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  const width = WIDTH / MINUTES;
  return (
    <figure>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${total} events in the last hour, at most ${max} in a minute`}
        className="h-28 w-full"
      >
        {bars.map(({ at, count }, index) => {
          const height = count === 0 ? 1.5 : Math.max(3, (count / max) * HEIGHT);
          return (
            <rect
              key={at}
              x={index * width + GAP / 2}
              y={HEIGHT - height}
              width={width - GAP}
              height={height}
              rx="1"
              className={count === 0 ? 'fill-line' : 'fill-accent'}
            >
              <title>{`${new Date(at).toLocaleTimeString()}: ${count}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="mt-2 flex justify-between text-xs text-faint tabular-nums">
        <span>an hour ago</span>
        <span>
          {total === 0
            ? 'none'
            : `${total.toLocaleString()} in all, at most ${max.toLocaleString()} a minute`}
        </span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}
