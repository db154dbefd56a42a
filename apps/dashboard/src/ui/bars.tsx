// SPDX-License-Identifier: Apache-2.0
const [WIDTH, HEIGHT, GAP] = [600, 96, 2];
/** What is there is seen, however small it is beside the others. */
const BAR_MIN = 3;

interface Bar {
  readonly at: number;
  readonly count: number;
  /** A part of the count that is drawn in another color. */
  readonly part?: number;
  /** Shown beside the pointer. */
  readonly title: string;
}

interface BarsProps {
  /** What it shows, for who does not see it. */
  readonly label: string;
  readonly bars: readonly Bar[];
  /** Of the whole height. Default: the highest bar. */
  readonly max?: number;
  /** Color of the parts. */
  readonly partTone?: 'ok' | 'bad';
}

/** How many there were in each span of time. */
export function Bars({
  label,
  bars,
  max = Math.max(1, ...bars.map(({ count }) => count)),
  partTone = 'ok',
}: BarsProps) {
  const width = WIDTH / bars.length;
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      className="h-28 w-full"
    >
      {bars.map(({ at, count, part = 0, title }, index) => {
        const place = { x: index * width + GAP / 2, width: width - GAP, rx: 1 };
        const height = count === 0 ? 1.5 : Math.max(BAR_MIN, (count / max) * HEIGHT);
        const light = count === 0 ? 0 : (part / count) * height;
        return (
          <g key={at}>
            <title>{title}</title>
            <rect
              {...place}
              y={HEIGHT - height}
              height={height}
              className={count === 0 ? 'fill-line' : 'fill-accent'}
            />
            {light > 0 && (
              <rect
                {...place}
                y={HEIGHT - light}
                height={light}
                className={partTone === 'ok' ? 'fill-ok-dot' : 'fill-bad-dot'}
              />
            )}
          </g>
        );
      })}
    </svg>
  );
}
