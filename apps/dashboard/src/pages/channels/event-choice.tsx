import { EVENT_TITLES } from '@chainwatch/sdk/catalogue';
import { Checkbox } from '../../ui/field.tsx';

interface EventChoiceProps {
  /** Undefined: those that a channel gets if nothing is said. */
  readonly chosen: ReadonlySet<string> | undefined;
  readonly onChange: (chosen: ReadonlySet<string> | undefined) => void;
}

export function EventChoice({ chosen, onChange }: EventChoiceProps) {
  const toggle = (type: string, isOn: boolean): void => {
    const next = new Set(chosen);
    if (isOn) next.add(type);
    else next.delete(type);
    onChange(next);
  };
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 text-[13px] font-medium">Events</legend>
      <Checkbox
        label="The usual ones"
        checked={chosen === undefined}
        onChange={(event) => onChange(event.target.checked ? undefined : new Set(['transaction.confirmed']))}
      />
      {chosen !== undefined && (
        <div className="ml-6.5 flex flex-col gap-1.5">
          {Object.entries(EVENT_TITLES).map(([type, title]) => (
            <Checkbox
              key={type}
              label={title}
              hint={type}
              checked={chosen.has(type)}
              onChange={(event) => toggle(type, event.target.checked)}
            />
          ))}
        </div>
      )}
    </fieldset>
  );
}
