// SPDX-License-Identifier: Apache-2.0
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import type { LedgerWindow } from './ledger-window.ts';

interface WindowFieldsProps {
  readonly window: LedgerWindow;
  readonly onChange: (window: LedgerWindow) => void;
  /** Of `name`, `from`, `to`. */
  readonly reasons: readonly (string | undefined)[];
}

export function WindowFields({ window, onChange, reasons }: WindowFieldsProps) {
  const set = (change: Partial<LedgerWindow>): void => onChange({ ...window, ...change });
  return (
    <>
      <TextField
        label="Name"
        placeholder="October 2026"
        hint="Optional"
        maxLength={255}
        value={window.name}
        onChange={(event) => set({ name: event.target.value })}
        error={reasons[0]}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="From"
          type="date"
          hint="Inclusive, midnight UTC. Defaults to the earliest row."
          value={window.from}
          onChange={(event) => set({ from: event.target.value })}
          error={reasons[1]}
        />
        <TextField
          label="To"
          type="date"
          hint="Exclusive, midnight UTC. Defaults to the latest row."
          value={window.to}
          onChange={(event) => set({ to: event.target.value })}
          error={reasons[2]}
        />
      </div>
      <Select
        label="Look for missing rows at"
        value={window.scope}
        hint="Movements of these addresses in the period count as missing in the books if no row names them."
        onChange={(event) => set({ scope: event.target.value as LedgerWindow['scope'] })}
      >
        <option value="project">All addresses of the project</option>
        <option value="ledger">Addresses that the ledger names</option>
      </Select>
      <Checkbox
        label="Include fees"
        hint="Fees that no row names count as missing in the books."
        checked={window.includesFees}
        onChange={(event) => set({ includesFees: event.target.checked })}
      />
    </>
  );
}
