import { Checkbox, Select, TextField } from '../../ui/field.tsx';

/** Parameters of a reconciliation, as they are written in the form. */
export interface Window {
  readonly name: string;
  /** A day, or empty: from the earliest time of the ledger. */
  readonly from: string;
  readonly to: string;
  readonly scope: 'project' | 'ledger';
  readonly includesFees: boolean;
}

export const NO_WINDOW: Window = { name: '', from: '', to: '', scope: 'project', includesFees: false };

/** As the API names them; empty ones are left out. */
export function toQuery({
  name,
  from,
  to,
  scope,
  includesFees,
}: Window): Readonly<Record<string, string | undefined>> {
  return {
    name: name.trim() || undefined,
    from: from === '' ? undefined : `${from}T00:00:00Z`,
    to: to === '' ? undefined : `${to}T00:00:00Z`,
    scope,
    include_fees: includesFees ? 'true' : undefined,
  };
}

interface WindowFieldsProps {
  readonly window: Window;
  readonly onChange: (window: Window) => void;
  /** Of `name`, `from`, `to`. */
  readonly reasons: readonly (string | undefined)[];
}

export function WindowFields({ window, onChange, reasons }: WindowFieldsProps) {
  const set = (change: Partial<Window>): void => onChange({ ...window, ...change });
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
        onChange={(event) => set({ scope: event.target.value as Window['scope'] })}
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
