// SPDX-License-Identifier: Apache-2.0
import { queryOptions } from '@tanstack/react-query';
import type { components } from '@chainwatch/sdk';
import { api, bodyOf } from './client.ts';

export type CheckedAddress = components['schemas']['CheckedAddress'];
type Family = components['schemas']['Address']['chain_family'];

/** `undefined`: the family is detected. */
export const addressCheckQuery = (value: string, family: Family | undefined) =>
  queryOptions({
    queryKey: ['address-check', value, family],
    queryFn: async ({ signal }) => {
      const { items } = await bodyOf(
        api.POST('/addresses/check', { body: { addresses: [{ value, chain_family: family }] }, signal }),
      );
      return items[0]!;
    },
    enabled: value !== '',
    // Others add and delete addresses meanwhile.
    staleTime: 0,
  });
