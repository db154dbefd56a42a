import { Select } from '../../ui/field.tsx';
import { PROOFS, type IncludedProof } from './proofs.ts';

interface ProofChoiceProps {
  readonly value: IncludedProof;
  readonly onChange: (value: IncludedProof) => void;
  readonly error?: string;
}

/** Whether transaction events prove that the transaction is in its block. */
export function ProofChoice({ value, onChange, error }: ProofChoiceProps) {
  return (
    <Select
      label="Proof of inclusion"
      hint={PROOFS[value][1]}
      value={value}
      onChange={(event) => onChange(event.target.value as IncludedProof)}
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
