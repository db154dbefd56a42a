// SPDX-License-Identifier: Apache-2.0
import { CHANNEL_KINDS, EVENT_HINTS, EVENT_TITLES } from '@chainwatch/sdk/catalogue';
import { Checkbox, Select } from '../../ui/field.tsx';
import type { Kind } from './kinds.ts';

interface EventChoiceProps {
  readonly kind: Kind;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly error: string | undefined;
}

const TYPES = Object.keys(EVENT_TITLES) as (keyof typeof EVENT_TITLES)[];
const CUSTOM = 'custom';

interface Preset {
  readonly title: string;
  readonly types: readonly string[];
}

/** Selections that most people want. */
function presetsOf(kind: Kind): Readonly<Record<string, Preset>> {
  return {
    usual: { title: 'Default for this kind', types: CHANNEL_KINDS[kind]?.default_events ?? [] },
    transactions: {
      title: 'All transaction events',
      types: TYPES.filter((type) => type.startsWith('transaction.')),
    },
    balances: { title: 'Balances only', types: TYPES.filter((type) => type.startsWith('balance.')) },
    all: { title: 'All events', types: TYPES },
  };
}

/** Which events a channel gets: a preset, or one by one. */
export function EventChoice({ kind, chosen, onChange, error }: EventChoiceProps) {
  const presets = presetsOf(kind);
  const [preset = CUSTOM] = Object.entries(presets).find(([, { types }]) => isSame(types, chosen)) ?? [];
  const toggle = (type: string, isOn: boolean): void =>
    onChange(isOn ? [...chosen, type] : chosen.filter((one) => one !== type));
  const unknown = chosen.filter((type) => !Object.hasOwn(EVENT_TITLES, type));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 text-[13px] font-medium">Events</legend>
      <Select
        label="Preset"
        value={preset}
        error={error}
        onChange={({ target }) => {
          const types = presets[target.value]?.types;
          if (types !== undefined) onChange(types);
        }}
      >
        {Object.entries(presets).map(([name, { title }]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
        {preset === CUSTOM && <option value={CUSTOM}>Custom</option>}
      </Select>
      <div className="grid gap-2 sm:grid-cols-2">
        {TYPES.map((type) => (
          <Checkbox
            key={type}
            label={EVENT_TITLES[type]}
            hint={`${type}: ${EVENT_HINTS[type]}`}
            checked={chosen.includes(type)}
            onChange={({ target }) => toggle(type, target.checked)}
          />
        ))}
        {unknown.map((type) => (
          <Checkbox key={type} label={type} checked onChange={() => toggle(type, false)} />
        ))}
      </div>
    </fieldset>
  );
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((type) => other.includes(type));
}
