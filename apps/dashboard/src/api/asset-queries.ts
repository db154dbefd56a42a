// SPDX-License-Identifier: Apache-2.0
import type { components } from '@chainwatch/sdk';
import type { AssetSearch } from '../app/search-params.ts';
import { api, bodyOf } from './client.ts';
import { queryOptions } from '@tanstack/react-query';
import { listOptions } from './queries.ts';

export type Asset = components['schemas']['Asset'];

export const assetsQuery = ({ statuses, chains, archived }: AssetSearch) =>
  listOptions(['assets', statuses, chains, archived], (page, signal) =>
    bodyOf(
      api.GET('/assets', {
        params: {
          query: {
            statuses: statuses as Asset['status'][] | undefined,
            chain_gids: chains as string[] | undefined,
            is_archived: archived === 'true',
            ...page,
          },
        },
        signal,
      }),
    ),
  );

const TOKENS_READ = 100;

/** Native coins and tokens of the project with their symbols, for choices. */
export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: ({ signal }) =>
    bodyOf(api.GET('/tokens', { params: { query: { sort_by: 'symbol', limit: TOKENS_READ } }, signal })),
});
