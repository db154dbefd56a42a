// SPDX-License-Identifier: Apache-2.0
import type { components } from '@chainwatch/sdk';
import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf } from './client.ts';

type Schemas = components['schemas'];
export type Block = Schemas['Block'];
export type Incident = Schemas['Incident'];
export type Node = Schemas['Node'];
export type ChainEndpoint = Schemas['ChainEndpoint'];
export type Policy = Schemas['ConfirmationPolicy'];

const CHAIN_MS = 5_000;
const NETWORK_STALE_MS = 5 * 60_000;
const ROWS_MAX = 100;
/** Blocks of a chain that count, or did not yet turn out not to. */
const COUNTING = ['new', 'processed', 'confirmed'] as const;

export const chainQuery = (gid: string) =>
  queryOptions({
    queryKey: ['chains', gid],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/blockchains/{chain_gid}', { params: { path: { chain_gid: gid } }, signal })),
    refetchInterval: CHAIN_MS,
  });

/** Every known network, those without a chain too. */
export const networksQuery = queryOptions({
  queryKey: ['networks'],
  queryFn: ({ signal }) => bodyOf(api.GET('/networks', { signal })),
});

/** Its document, which changes when the operator changes it. */
export const networkQuery = (gid: string) =>
  queryOptions({
    queryKey: ['networks', gid],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/networks/{chain_gid}', { params: { path: { chain_gid: gid } }, signal })),
    staleTime: NETWORK_STALE_MS,
  });

/** The project's own; null: it has none, which is no fault. */
export const policyQuery = (gid: string) =>
  queryOptions({
    queryKey: ['policies', gid],
    queryFn: async ({ signal }) => {
      const { items } = await bodyOf(
        api.GET('/confirmation_policies', { params: { query: { chain_gids: [gid] } }, signal }),
      );
      return items[0] ?? null;
    },
  });

/** For who may set them. */
export const nodesQuery = (gid: string) =>
  queryOptions({
    queryKey: ['chains', gid, 'nodes'],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/blockchains/{chain_gid}/nodes', { params: { path: { chain_gid: gid } }, signal })),
    refetchInterval: CHAIN_MS,
  });

/** Further nodes, for who may set them. */
export const endpointsQuery = (gid: string) =>
  queryOptions({
    queryKey: ['chains', gid, 'endpoints'],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/blockchains/{chain_gid}/endpoints', { params: { path: { chain_gid: gid } }, signal })),
  });

/** The newest, open or not. */
export const incidentsQuery = (gid: string) =>
  queryOptions({
    queryKey: ['chains', gid, 'incidents'],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/blockchains/{chain_gid}/incidents', {
          params: { path: { chain_gid: gid }, query: { limit: ROWS_MAX } },
          signal,
        }),
      ),
    refetchInterval: CHAIN_MS,
  });

/** Blocks that left the chain, the highest first. */
export const reorgedBlocksQuery = (gid: string) =>
  queryOptions({
    queryKey: ['blocks', gid, 'reorged'],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/blocks', {
          params: { query: { chain_gids: [gid], statuses: ['reorged'], limit: ROWS_MAX } },
          signal,
        }),
      ),
    refetchInterval: CHAIN_MS,
  });

/** What the chain has there instead. */
export const countingBlocksQuery = (gid: string, from: number, to: number) =>
  queryOptions({
    queryKey: ['blocks', gid, from, to],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/blocks', {
          params: {
            query: {
              chain_gids: [gid],
              statuses: [...COUNTING],
              from_block: from,
              to_block: to,
              sort_by: 'number',
              limit: ROWS_MAX,
            },
          },
          signal,
        }),
      ),
    refetchInterval: CHAIN_MS,
  });
