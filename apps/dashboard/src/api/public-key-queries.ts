// SPDX-License-Identifier: Apache-2.0
import { queryOptions } from '@tanstack/react-query';
import type { components } from '@chainwatch/sdk';
import { api, bodyOf } from './client.ts';
import { listOptions } from './queries.ts';

export type PublicKey = components['schemas']['PublicKey'];
export type HdAddress = components['schemas']['HdAddress'];

export const publicKeysQuery = listOptions(['public-keys'], (page, signal) =>
  bodyOf(api.GET('/public_keys', { params: { query: page }, signal })),
);

export const publicKeyQuery = (id: string) =>
  queryOptions({
    queryKey: ['public-keys', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/public_keys/{public_key_id}', { params: { path: { public_key_id: id } }, signal })),
  });

/** Receive and change addresses, the newest first. */
export const derivedAddressesQuery = (id: string) =>
  listOptions<HdAddress>(['public-keys', id, 'addresses'], (page, signal) =>
    bodyOf(
      api.GET('/public_keys/{public_key_id}/addresses', {
        params: { path: { public_key_id: id }, query: { ...page, sort_by: '-index' } },
        signal,
      }),
    ),
  );
