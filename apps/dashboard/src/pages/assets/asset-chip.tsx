// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { tokensQuery } from '../../api/asset-queries.ts';
import { splitAssetGid, useChainName } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { ChoiceChip, orNone } from '../../ui/chips.tsx';

interface AssetChipProps {
  readonly chosen: readonly string[] | undefined;
  readonly onChange: (chosen: readonly string[] | undefined) => void;
}

/** A filter by asset; those of the project are offered, and those that the URL names. */
export function AssetChip({ chosen = [], onChange }: AssetChipProps) {
  const isKnown = useMay()('api:token:read');
  const { data } = useQuery({ ...tokensQuery, enabled: isKnown });
  const nameOf = useChainName();
  const own = (data?.items ?? []).map(({ gid, symbol }) => ({
    value: gid,
    title: `${symbol ?? gid} · ${nameOf(splitAssetGid(gid).chain_gid)}`,
  }));
  const others = chosen.filter((gid) => !own.some(({ value }) => value === gid));
  if (!isKnown && others.length === 0) return null;
  return (
    <ChoiceChip
      name="Asset"
      options={[...own, ...others.map((gid) => ({ value: gid, title: gid }))]}
      chosen={chosen}
      onChange={(gids) => onChange(orNone(gids))}
    />
  );
}
