import type { Stats } from '../api/queries.ts';
import { Bars } from '../ui/bars.tsx';
import { useNow } from '../ui/time.tsx';

const MINUTES = 60;
const MINUTE_MS = 60_000;

/** A bar for each minute of the last hour. */
export function EventMinutes({ events }: { readonly events: Stats['events'] }) {
  const last = Math.floor(useNow() / MINUTE_MS) * MINUTE_MS;
  const counts = new Map(events.minutes.map(({ at, count }) => [Date.parse(at), count]));
  const bars = Array.from({ length: MINUTES }, (_, index) => {
    const at = last - (MINUTES - 1 - index) * MINUTE_MS;
    const count = counts.get(at) ?? 0;
    return { at, count, title: `${new Date(at).toLocaleTimeString()}: ${count}` };
  });
  const max = Math.max(1, ...bars.map(({ count }) => count));
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  return (
    <figure>
      <Bars label={`${total} events in the last hour, at most ${max} in a minute`} bars={bars} />
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
