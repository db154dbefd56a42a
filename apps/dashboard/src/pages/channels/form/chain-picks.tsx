// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { tokensQuery } from '../../../api/asset-queries.ts';
import { chainsQuery, splitAssetGid, useChainName } from '../../../api/queries.ts';
import { useMay } from '../../../api/session.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { PickList } from '../../../ui/pick-list.tsx';

interface PickProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly error: string | undefined;
}

export function ChainPick(props: PickProps) {
  const { data } = useQuery({ ...chainsQuery, enabled: useMay()('api:blockchain:read') });
  const active = (data?.items ?? []).filter(
    ({ gid, is_active: isActive }) => isActive || props.chosen.includes(gid),
  );
  return (
    <PickList
      legend="Chains"
      hint="None selected: all chains."
      options={active.map(({ gid, display_name: name }) => ({ value: gid, title: name, hint: gid }))}
      {...props}
    />
  );
}

/** Assets of the project, and any other one by its CAIP-19 id. */
export function AssetPick(props: PickProps) {
  const [other, setOther] = useState('');
  const { data } = useQuery({
    ...tokensQuery,
    enabled: useMay()('api:token:read'),
  });
  const nameOf = useChainName();
  const add = (): void => {
    const gid = other.trim();
    if (gid !== '' && !props.chosen.includes(gid)) props.onChange([...props.chosen, gid]);
    setOther('');
  };
  return (
    <PickList
      legend="Assets"
      hint="None selected: all assets."
      options={(data?.items ?? []).map(({ gid, symbol }) => ({
        value: gid,
        title: `${symbol ?? gid} on ${nameOf(splitAssetGid(gid).chain_gid)}`,
        hint: gid,
      }))}
      {...props}
    >
      <div className="flex items-end gap-2">
        <div className="flex-1">
          <TextField
            label="Other asset"
            placeholder="CAIP-19 asset ID"
            className="font-mono"
            value={other}
            onChange={({ target }) => setOther(target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              add();
            }}
          />
        </div>
        <Button className="mb-1.5" onClick={add}>
          Add asset
        </Button>
      </div>
    </PickList>
  );
}
