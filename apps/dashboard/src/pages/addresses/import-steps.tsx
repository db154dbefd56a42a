// SPDX-License-Identifier: Apache-2.0
import { Download } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { saveFile } from '../../ui/save-file.ts';
import type { CheckedEntries } from './check-entries.ts';
import { toTitle } from './families.ts';
import type { ImportResult } from './import-entries.ts';
import type { Fault, ParsedFile } from './parse-csv.ts';
import { writeRejected } from './rejected-file.ts';

const FAULTS_SHOWN = 5;

/** What an import would do; nothing has been sent yet. */
export function Checked({ result: { ready, created, existing } }: { readonly result: CheckedEntries }) {
  const families = [...Map.groupBy(ready, ({ family }) => family)].map(
    ([family, group]) => `${group.length.toLocaleString()} ${toTitle(family)}`,
  );
  return (
    <div role="status" className="text-[13px]">
      <p>
        {created.toLocaleString()} new · {existing.toLocaleString()} already registered
      </p>
      {families.length > 0 && <p className="text-soft">Families: {families.join(', ')}</p>}
    </div>
  );
}

export function Imported({ result: { created, existing } }: { readonly result: ImportResult }) {
  return (
    <p role="status" className="text-[13px]">
      {created.toLocaleString()} imported and monitored · {existing.toLocaleString()} already registered
    </p>
  );
}

interface BurnChoiceProps {
  readonly count: number;
  readonly isOnPurpose: boolean;
  readonly onChange: (isOnPurpose: boolean) => void;
}

export function BurnChoice({ count, isOnPurpose, onChange }: BurnChoiceProps) {
  return (
    <Checkbox
      label={`Import burn addresses (${count.toLocaleString()}): this is on purpose`}
      hint="Burn addresses are shared by everyone. Each mint and burn of a token becomes an event."
      checked={isOnPurpose}
      onChange={({ target }) => onChange(target.checked)}
    />
  );
}

interface SendingProps {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

export function Sending({ label, done, total }: SendingProps) {
  return (
    <div aria-live="polite" className="flex flex-col gap-1.5 text-[13px] text-soft tabular-nums">
      <progress aria-label={label} value={done} max={total} className="h-1.5 w-full accent-accent" />
      {label} {done.toLocaleString()} of {total.toLocaleString()}
    </div>
  );
}

interface RejectedProps {
  readonly file: ParsedFile;
  readonly name: string;
  readonly faults: readonly Fault[];
}

/** The first rejected lines, and all of them as a file to mend. */
export function Rejected({ file, name, faults }: RejectedProps) {
  if (faults.length === 0) return null;
  const save = (): void =>
    saveFile(
      new Blob([writeRejected(file, faults)], { type: 'text/csv' }),
      `${name.replace(/\.[^.]*$/, '')}-rejected.csv`,
    );
  return (
    <div className="rounded-md bg-warn-wash px-3 py-2 text-[13px] text-warn">
      <p className="font-medium">
        {faults.length === 1 ? '1 line rejected' : `${faults.length.toLocaleString()} lines rejected`}
      </p>
      <ul>
        {faults.slice(0, FAULTS_SHOWN).map(({ line, reason }) => (
          <li key={line} className="break-words">
            Line {line}: {reason}
          </li>
        ))}
        {faults.length > FAULTS_SHOWN && (
          <li>{(faults.length - FAULTS_SHOWN).toLocaleString()} more in the file</li>
        )}
      </ul>
      <Button isSmall className="mt-2" icon={<Download aria-hidden className="size-3.5" />} onClick={save}>
        Download rejected rows
      </Button>
    </div>
  );
}
