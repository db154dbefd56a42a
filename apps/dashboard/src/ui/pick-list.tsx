// SPDX-License-Identifier: Apache-2.0
import { useId, type ReactNode } from 'react';
import { Checkbox } from './field.tsx';

export interface Option {
  readonly value: string;
  readonly title: string;
  readonly hint?: string;
}

interface PickListProps {
  readonly legend: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly options: readonly Option[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  /** A field that finds or adds options. */
  readonly children?: ReactNode;
}

/** Values to tick; a chosen one that is no option is shown by its value. */
export function PickList({ legend, hint, error, options, chosen, onChange, children }: PickListProps) {
  const id = useId();
  const others = chosen.filter((value) => !options.some((option) => option.value === value));
  const all = [...others.map((value): Option => ({ value, title: value })), ...options];
  return (
    <fieldset aria-describedby={id} className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 text-[13px] font-medium">{legend}</legend>
      {children}
      {all.length > 0 && (
        <div className="flex max-h-44 flex-col gap-1.5 overflow-y-auto rounded-md border border-line p-2">
          {all.map(({ value, title, hint: about }) => (
            <Checkbox
              key={value}
              label={title}
              hint={about}
              checked={chosen.includes(value)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
              }
            />
          ))}
        </div>
      )}
      <p id={id} className={error === undefined ? 'text-xs text-faint' : 'text-xs text-bad'}>
        {error ?? hint}
      </p>
    </fieldset>
  );
}
