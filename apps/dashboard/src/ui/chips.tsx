// SPDX-License-Identifier: Apache-2.0
import * as Menu from '@radix-ui/react-dropdown-menu';
import { Check, ChevronDown, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { classes } from './classes.ts';

const CHIP =
  'inline-flex h-7.5 items-center gap-1.5 rounded-full border px-3 text-[13px] whitespace-nowrap transition-colors';

interface ChoiceChipProps {
  readonly name: string;
  readonly options: readonly { readonly value: string; readonly title: string }[];
  readonly chosen: readonly string[];
  /** Only one of them at a time. */
  readonly isSingle?: boolean;
  readonly onChange: (chosen: readonly string[]) => void;
}

/** A filter whose values are known. */
export function ChoiceChip({ name, options, chosen, isSingle = false, onChange }: ChoiceChipProps) {
  const titles = options.filter(({ value }) => chosen.includes(value)).map(({ title }) => title);
  const toggle = (value: string): void => {
    const rest = chosen.filter((one) => one !== value);
    const isOn = rest.length < chosen.length;
    onChange(isOn ? rest : isSingle ? [value] : [...rest, value]);
  };
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={classes(CHIP, chosen.length > 0 ? ON : OFF)}>
        {name}
        {titles.length > 0 && (
          <b className="font-medium">{titles.length > 2 ? titles.length : titles.join(', ')}</b>
        )}
        <ChevronDown aria-hidden className="size-3.5" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content
          align="start"
          sideOffset={6}
          className="z-40 max-h-80 min-w-44 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-lifted"
        >
          {options.map(({ value, title }) => (
            <Menu.CheckboxItem
              key={value}
              checked={chosen.includes(value)}
              onSelect={(event) => !isSingle && event.preventDefault()}
              onCheckedChange={() => toggle(value)}
              className="flex h-8 items-center gap-2 rounded-md px-2 text-[13px] outline-none select-none data-highlighted:bg-hover"
            >
              <span className="flex-1">{title}</span>
              <Menu.ItemIndicator>
                <Check aria-hidden className="size-4 text-accent-ink" />
              </Menu.ItemIndicator>
            </Menu.CheckboxItem>
          ))}
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}

interface TextChipProps {
  readonly name: string;
  readonly value: string | undefined;
  readonly placeholder: string;
  readonly type?: 'text' | 'date';
  readonly onChange: (value: string | undefined) => void;
}

/** A filter that is written: it counts once it is left or confirmed. */
export function TextChip({ name, value, placeholder, type = 'text', onChange }: TextChipProps) {
  const [text, setText] = useState(value ?? '');
  useEffect(() => setText(value ?? ''), [value]);
  const apply = (): void => {
    if (text.trim() !== (value ?? '')) onChange(text.trim() || undefined);
  };
  return (
    <form
      className={classes(CHIP, 'pr-1.5', value === undefined ? OFF : ON)}
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <label className="flex items-center gap-1.5">
        {name}
        <input
          type={type}
          value={text}
          placeholder={placeholder}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
          onBlur={apply}
          className={classes(
            type === 'date' ? 'w-32' : 'w-28',
            'rounded bg-transparent px-1 outline-offset-1 placeholder:text-faint',
          )}
        />
      </label>
      {value !== undefined && (
        <button
          type="button"
          aria-label={`Remove the filter ${name}`}
          onClick={() => onChange(undefined)}
          className="flex size-5 items-center justify-center rounded-full hover:bg-hover"
        >
          <X aria-hidden className="size-3.5" />
        </button>
      )}
    </form>
  );
}

/** Takes every filter away. */
export function ClearButton({ onClear }: { readonly onClear: () => void }) {
  return (
    <Button look="quiet" isSmall icon={<X aria-hidden className="size-3.5" />} onClick={onClear}>
      Clear
    </Button>
  );
}

/** A filter that chooses nothing is none. */
export function orNone(chosen: readonly string[]): readonly string[] | undefined {
  return chosen.length === 0 ? undefined : chosen;
}

const ON = 'border-accent bg-accent-wash text-accent-ink';
const OFF = 'border-line-strong bg-panel text-soft hover:text-ink';
