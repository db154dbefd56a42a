// SPDX-License-Identifier: Apache-2.0
import { TextField } from '../../ui/field.tsx';

interface ExpressionFieldProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly error: string | undefined;
}

export function ExpressionField({ value, onChange, error }: ExpressionFieldProps) {
  return (
    <TextField
      label="Expression"
      maxLength={2_000}
      placeholder='event.data.transaction.direction == "in"'
      hint="Optional. Only events for which this CEL expression is true."
      className="font-mono"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      error={error}
    />
  );
}
