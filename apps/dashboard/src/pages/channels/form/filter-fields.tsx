// SPDX-License-Identifier: Apache-2.0
import { CHANGE_REASONS, VERIFICATIONS } from '@chainwatch/sdk/catalogue';
import { reasonFor, Select, TextArea, TextField } from '../../../ui/field.tsx';
import { PickList } from '../../../ui/pick-list.tsx';
import { toWords } from '../../../ui/status.tsx';
import { ExpressionField } from '../expression-field.tsx';
import type { FilterDraft } from './filter-draft.ts';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { addressesQuery, rowsOf, chainsQuery, splitAssetGid, useChainName } from '../../../api/queries.ts';
import { useMay } from '../../../api/session.ts';
import { tokensQuery } from '../../../api/asset-queries.ts';
import { Button } from '../../../ui/button.tsx';

interface FilterFieldsProps {
  readonly draft: FilterDraft;
  readonly onChange: (draft: FilterDraft) => void;
  readonly error: Error | null;
}

const DIRECTIONS = { in: 'Incoming', out: 'Outgoing', self: 'Between own addresses' };
const optionsOf = (values: readonly string[]) => values.map((value) => ({ value, title: toWords(value) }));

/** Which of the chosen events are sent: an event has to pass all filters that are set. */
export function FilterFields({ draft, onChange, error }: FilterFieldsProps) {
  const reason = (name: keyof FilterDraft) => reasonFor(error, `filters.${name}`);
  const set = (change: Partial<FilterDraft>): void => onChange({ ...draft, ...change });
  const text = (name: 'groups' | 'metadata' | 'min_amount' | 'memo' | 'memo_prefix') => ({
    value: draft[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) => set({ [name]: target.value }),
    error: reason(name),
  });
  const list = (name: 'chain_gids' | 'asset_gids' | 'address_ids' | 'verification' | 'reasons') => ({
    chosen: draft[name],
    onChange: (chosen: readonly string[]) => set({ [name]: chosen }),
    error: reason(name),
  });
  return (
    <>
      <TextField
        label="Groups"
        placeholder="shop-7, shop-8"
        hint="Separated by commas."
        {...text('groups')}
      />
      <AddressPick {...list('address_ids')} />
      <ChainPick {...list('chain_gids')} />
      <AssetPick {...list('asset_gids')} />
      <TextField
        label="Minimum amount"
        placeholder="0.01"
        inputMode="decimal"
        hint="In whole units of the asset. Transfers with unknown decimals pass."
        {...text('min_amount')}
      />
      <Select
        label="Direction"
        value={draft.direction}
        onChange={({ target }) => set({ direction: target.value })}
        error={reason('direction')}
      >
        <option value="">Any</option>
        {Object.entries(DIRECTIONS).map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </Select>
      <TextArea
        label="Metadata"
        rows={2}
        placeholder="shop=7"
        hint="One name=value per line. The address must have all of them."
        className="font-mono"
        {...text('metadata')}
      />
      <TextField label="Memo" placeholder="order 1042" hint="The exact memo." {...text('memo')} />
      <TextField label="Memo begins with" placeholder="order " {...text('memo_prefix')} />
      <PickList
        legend="Verification"
        hint="None selected: any."
        options={optionsOf(VERIFICATIONS)}
        {...list('verification')}
      />
      <PickList
        legend="Reasons of balance changes"
        hint="None selected: any. Applies to balance.changed."
        options={optionsOf(CHANGE_REASONS)}
        {...list('reasons')}
      />
      <ExpressionField
        value={draft.expression}
        onChange={(expression) => set({ expression })}
        error={reason('expression')}
      />
    </>
  );
}

interface AddressPickProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly error: string | undefined;
}

const SHOWN = 8;

/** Addresses of the project, found by label or address. A chosen one that is not among those found is shown by its id. */
function AddressPick({ chosen, onChange, error }: AddressPickProps) {
  const [search, setSearch] = useState('');
  const text = search.trim();
  const { data } = useInfiniteQuery({
    ...addressesQuery(text === '' ? {} : { search: text }),
    placeholderData: keepPreviousData,
    enabled: useMay()('api:address:read'),
  });
  const found = rowsOf(data?.pages).rows;
  const shown = found.filter(({ id }, index) => index < SHOWN || chosen.includes(id));
  return (
    <PickList
      legend="Addresses"
      hint="None selected: all addresses."
      options={shown.map(({ id, label, address }) => ({
        value: id,
        title: label ?? address,
        ...(label !== null && { hint: address }),
      }))}
      chosen={chosen}
      onChange={onChange}
      error={error}
    >
      <TextField
        label="Find an address"
        placeholder="Label or address"
        value={search}
        onChange={({ target }) => setSearch(target.value)}
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
    </PickList>
  );
}

interface PickProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly error: string | undefined;
}

function ChainPick(props: PickProps) {
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
function AssetPick(props: PickProps) {
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
