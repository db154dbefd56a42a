// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { chainsQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Checkbox } from '../../ui/field.tsx';

interface ChainsChoiceProps {
  /** None: all chains of the addresses. */
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly error: string | undefined;
}

export function ChainsChoice({ chosen, onChange, error }: ChainsChoiceProps) {
  const mayRead = useMay()('api:blockchain:read');
  const { data } = useQuery({ ...chainsQuery, enabled: mayRead });
  const chains = data?.items ?? [];
  if (chains.length === 0) return null;
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 text-[13px] font-medium">Chains</legend>
      <div
        tabIndex={0}
        role="group"
        aria-label="Chains to include"
        className="flex max-h-36 flex-col gap-1.5 overflow-y-auto rounded-md border border-line-strong p-3"
      >
        {chains.map(({ gid, display_name: name }) => (
          <Checkbox
            key={gid}
            label={name}
            checked={chosen.includes(gid)}
            onChange={(event) =>
              onChange(event.target.checked ? [...chosen, gid] : chosen.filter((one) => one !== gid))
            }
          />
        ))}
      </div>
      <p className={`text-xs ${error === undefined ? 'text-faint' : 'text-bad'}`}>
        {error ?? 'None selected: all chains of the addresses.'}
      </p>
    </fieldset>
  );
}
