// SPDX-License-Identifier: Apache-2.0
import type { Reconciliation } from '../../api/reconciliation-queries.ts';
import { classes } from '../../ui/classes.ts';
import { Dot, toneOf } from '../../ui/status.tsx';
import { CLASSES } from './classes.ts';

interface ClassTilesProps {
  readonly reconciliation: Reconciliation;
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[] | undefined) => void;
}

/** How many rows there are of each class; a tile that is pressed shows these alone. */
export function ClassTiles({ reconciliation: { counts, status }, chosen, onChoose }: ClassTilesProps) {
  return (
    <div role="group" aria-label="Rows by class" className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      {CLASSES.map(({ name, title, hint }) => {
        const isOn = chosen.length === 1 && chosen[0] === name;
        const count = counts[name];
        return (
          <button
            key={name}
            type="button"
            aria-pressed={isOn}
            onClick={() => onChoose(isOn ? undefined : [name])}
            className={classes(
              'flex flex-col items-start rounded-xl border bg-panel px-3 py-2.5 text-left sm:px-4 sm:py-3 shadow-panel hover:bg-hover',
              isOn ? 'border-accent' : 'border-line',
            )}
          >
            <span className="flex items-center gap-1.5 text-[13px] text-faint">
              <Dot tone={count === 0 && status === 'completed' ? 'none' : toneOf(name)} />
              {title}
            </span>
            <span className="mt-1 text-2xl font-semibold tracking-tight tabular-nums">
              {count.toLocaleString()}
            </span>
            <span className="mt-0.5 text-xs text-soft">{hint}</span>
          </button>
        );
      })}
    </div>
  );
}
