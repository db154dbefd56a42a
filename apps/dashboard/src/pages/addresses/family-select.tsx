import { Select } from '../../ui/field.tsx';
import { toTitle, useFamilies, type Family } from './families.ts';

interface FamilySelectProps {
  readonly label: string;
  readonly family: Family;
  readonly onChange: (family: Family) => void;
}

export function FamilySelect({ label, family, onChange }: FamilySelectProps) {
  return (
    <Select label={label} value={family} onChange={(event) => onChange(event.target.value as Family)}>
      {useFamilies().map((name) => (
        <option key={name} value={name}>
          {toTitle(name)}
        </option>
      ))}
    </Select>
  );
}
