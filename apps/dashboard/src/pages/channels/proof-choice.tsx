// SPDX-License-Identifier: Apache-2.0
import { Select } from '../../ui/field.tsx';
import { PROOFS } from './proofs.ts';

interface ProofChoiceProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: string;
}

/** Whether transaction events prove that the transaction is in its block. */
export function ProofChoice({ value, onChange, error }: ProofChoiceProps) {
  return (
    <Select
      label="Proof of inclusion"
      hint={Object.hasOwn(PROOFS, value) ? PROOFS[value as keyof typeof PROOFS][1] : undefined}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      error={error}
    >
      {Object.entries(PROOFS).map(([name, [title]]) => (
        <option key={name} value={name}>
          {title}
        </option>
      ))}
    </Select>
  );
}
