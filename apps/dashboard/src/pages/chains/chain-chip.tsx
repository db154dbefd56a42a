// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { chainsQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { ChoiceChip, orNone } from '../../ui/chips.tsx';

interface ChainChipProps {
  readonly chosen: readonly string[] | undefined;
  readonly onChange: (chosen: readonly string[] | undefined) => void;
}

/** A filter by chain; those that are followed are offered. */
export function ChainChip({ chosen, onChange }: ChainChipProps) {
  const isKnown = useMay()('api:blockchain:read');
  const { data } = useQuery({ ...chainsQuery, enabled: isKnown });
  if (!isKnown) return null;
  return (
    <ChoiceChip
      name="Chain"
      options={(data?.items ?? [])
        .filter(({ is_active }) => is_active)
        .map(({ gid, display_name: name }) => ({ value: gid, title: name }))}
      chosen={chosen ?? []}
      onChange={(gids) => onChange(orNone(gids))}
    />
  );
}
