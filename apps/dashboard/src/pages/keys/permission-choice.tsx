// SPDX-License-Identifier: Apache-2.0
import type { Key } from '../../api/management-queries.ts';
import { Checkbox } from '../../ui/field.tsx';

interface PermissionChoiceProps {
  readonly offered: Key['permissions'];
  readonly refused: ReadonlySet<string>;
  readonly onChange: (refused: ReadonlySet<string>) => void;
}

export function PermissionChoice({ offered, refused, onChange }: PermissionChoiceProps) {
  const toggle = (permission: string, isOn: boolean): void => {
    const next = new Set(refused);
    if (isOn) next.delete(permission);
    else next.add(permission);
    onChange(next);
  };
  const count = offered.filter((permission) => !refused.has(permission)).length;
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-[13px] font-medium">
        Permissions: {count} of {offered.length}
      </legend>
      <div className="grid max-h-56 gap-1.5 overflow-y-auto rounded-md border border-line p-3 sm:grid-cols-2">
        {offered.map((permission) => (
          <Checkbox
            key={permission}
            label={permission.slice(permission.indexOf(':') + 1).replaceAll('_', ' ')}
            checked={!refused.has(permission)}
            onChange={(event) => toggle(permission, event.target.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}
