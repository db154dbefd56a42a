// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { classes } from './classes.ts';
import { Waiting } from './notice.tsx';

export interface Column<T> {
  readonly name: string;
  /** A track of the grid: `minmax(10rem, 2fr)`. */
  readonly width: string;
  readonly isRight?: boolean;
  readonly cell: (row: T) => ReactNode;
}

interface TableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  /** A whole row, where the window is too narrow for columns. */
  readonly card?: ((row: T) => ReactNode) | undefined;
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** Asked for as the end comes near; undefined: that is all. */
  readonly onEnd?: () => void;
  readonly isLoadingMore?: boolean;
}

const ROW_PX = 45;
const CARD_PX = 92;
const NARROW = window.matchMedia('(max-width: 639px)');
/** Rows from the end at which more are asked for. */
const AHEAD = 12;

/** Rows that are on the screen alone are drawn, however many there are. */
export function Table<T>(props: TableProps<T>) {
  const { label, card, rows, keyOf, onEnd, isLoadingMore = false } = props;
  const isNarrow = useSyncExternalStore(listenToWidth, () => NARROW.matches) && card !== undefined;
  const columns = isNarrow ? [{ name: label, width: 'minmax(0, 1fr)', cell: card }] : props.columns;
  const ref = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useEffect(() => setTop((ref.current?.getBoundingClientRect().top ?? 0) + window.scrollY), []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (isNarrow ? CARD_PX : ROW_PX),
    overscan: 8,
    scrollMargin: top,
    getItemKey: (index) => keyOf(rows[index]!),
  });
  useEffect(() => virtual.measure(), [virtual, isNarrow]);
  const items = virtual.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (onEnd && !isLoadingMore && lastShown >= rows.length - AHEAD) onEnd();
  }, [onEnd, isLoadingMore, lastShown, rows.length]);
  const tracks = columns.map(({ width }) => width).join(' ');
  return (
    // It scrolls sideways where the window is narrow: by the keyboard, too.
    <div className="scroll-shadow overflow-x-auto" tabIndex={0}>
      <div
        role="table"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        className={isNarrow ? undefined : 'min-w-max'}
      >
        <div role="rowgroup">
          <div
            role="row"
            aria-rowindex={1}
            className={isNarrow ? 'sr-only' : `${LINE} border-b`}
            style={{ gridTemplateColumns: tracks }}
          >
            {columns.map(({ name, isRight }: Column<T>) => (
              <div
                key={name}
                role="columnheader"
                className={classes('py-2.5 text-xs font-medium text-faint', isRight && 'text-right')}
              >
                {name}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" ref={ref} className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => (
            <div
              key={item.key}
              role="row"
              aria-rowindex={item.index + 2}
              className={classes(ROW, item.index > 0 && 'border-t')}
              style={{
                gridTemplateColumns: tracks,
                height: item.size,
                transform: `translateY(${item.start - virtual.options.scrollMargin}px)`,
              }}
            >
              {columns.map(({ name, isRight, cell }: Column<T>) => (
                <div
                  key={name}
                  role="cell"
                  className={classes('flex min-w-0 items-center text-[13px]', isRight && 'justify-end')}
                >
                  {cell(rows[item.index]!)}
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
      {isLoadingMore && <Waiting rows={2} />}
    </div>
  );
}

function listenToWidth(listener: () => void): () => void {
  NARROW.addEventListener('change', listener);
  return () => NARROW.removeEventListener('change', listener);
}

const LINE = 'grid items-center gap-4 border-line px-4';
const ROW = `${LINE} absolute inset-x-0 top-0 hover:bg-hover`;

/** Makes a link the whole row's; what else can be pressed in it stands above. */
export const ROW_LINK =
  'font-medium after:absolute after:inset-0 hover:text-accent-ink focus-visible:after:outline-2';
export const ABOVE_ROW_LINK = 'relative z-10';
