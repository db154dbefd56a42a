// SPDX-License-Identifier: Apache-2.0
import { Select } from '../../ui/field.tsx';
import { toTitle, useFamilies, type Family } from './families.ts';

interface FamilySelectProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  /** Undefined: it is detected. */
  readonly family: Family | undefined;
  readonly onChange: (family: Family | undefined) => void;
}

const DETECT = '';

export function FamilySelect({ label, hint, error, family, onChange }: FamilySelectProps) {
  return (
    <Select
      label={label}
      hint={hint}
      error={error}
      value={family ?? DETECT}
      onChange={({ target }) => onChange(target.value === DETECT ? undefined : (target.value as Family))}
    >
      <option value={DETECT}>Detect</option>
      {useFamilies().map((name) => (
        <option key={name} value={name}>
          {toTitle(name)}
        </option>
      ))}
    </Select>
  );
}
