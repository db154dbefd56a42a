// SPDX-License-Identifier: Apache-2.0
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { addressesQuery, rowsOf } from '../../../api/queries.ts';
import { useMay } from '../../../api/session.ts';
import { TextField } from '../../../ui/field.tsx';
import { PickList } from '../../../ui/pick-list.tsx';

interface AddressPickProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly error: string | undefined;
}

const SHOWN = 8;

/** Addresses of the project, found by label or address. A chosen one that is not among those found is shown by its id. */
export function AddressPick({ chosen, onChange, error }: AddressPickProps) {
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
