// SPDX-License-Identifier: Apache-2.0
import { TextChip } from './chips.tsx';

interface DayChipsProps {
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly onChange: (change: { readonly since?: string; readonly until?: string }) => void;
}

/** A time from a day to a day, both from midnight UTC. */
export function DayChips({ since, until, onChange }: DayChipsProps) {
  return (
    <>
      <TextChip
        name="Since"
        type="date"
        placeholder=""
        value={since?.slice(0, 10)}
        onChange={(day) => onChange({ since: toMidnight(day) })}
      />
      <TextChip
        name="Until"
        type="date"
        placeholder=""
        value={until?.slice(0, 10)}
        onChange={(day) => onChange({ until: toMidnight(day) })}
      />
    </>
  );
}

function toMidnight(day: string | undefined): string | undefined {
  return day === undefined ? undefined : `${day}T00:00:00Z`;
}
