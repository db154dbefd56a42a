// SPDX-License-Identifier: Apache-2.0
import { Select } from '../../ui/field.tsx';
import { ORDERINGS, type OrderingChoice } from './ordering.ts';

interface OrderingSelectProps {
  readonly chosen: OrderingChoice;
  readonly onChange: (chosen: OrderingChoice) => void;
}

export function OrderingSelect({ chosen, onChange }: OrderingSelectProps) {
  return (
    <Select
      label="Order"
      hint="In a strict order a retry holds up later events, and throughput is lower."
      value={chosen}
      onChange={(event) => onChange(event.target.value as OrderingChoice)}
    >
      {Object.entries(ORDERINGS).map(([value, { title }]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </Select>
  );
}
