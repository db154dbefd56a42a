// SPDX-License-Identifier: Apache-2.0
import { infiniteQueryOptions, keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { AddressSearch, EventSearch, TransactionSearch } from '../app/search-params.ts';
import { api, bodyOf, textOf } from './client.ts';
import type { components, paths } from '@chainwatch/sdk';
import { shorten } from '../ui/copy.tsx';
import { useMay } from './session.ts';

type Schemas = components['schemas'];
export type Transaction = Schemas['TransactionWithAddresses'];
export type Transfer = Schemas['Transfer'];
export type Address = Schemas['Address'];
export type Channel = Schemas['NotificationChannel'];
export type Delivery = Schemas['Delivery'];
export type DeliveryDetail = Schemas['DeliveryWithAttempts'];
export type Attempt = DeliveryDetail['attempts'][number];
export type Blockchain = Schemas['Blockchain'];
type SearchHit = Schemas['SearchHit'];
/** What has a page. */
export type Found = SearchHit & { readonly type: Exclude<SearchHit['type'], 'audit_log'> };
export type Stats = Schemas['Stats'];
type EventsAnswer = paths['/events']['get']['responses'][200]['content']['application/json'];
export type EventItem = EventsAnswer['items'][number];
type EventType = EventItem['type'];
type DeliveryStatus = Delivery['status'];

const PAGE_ROWS = 50;
const SLOW_MS = 5 * 60_000;
/** Chains move without events: their state is asked for. */
const CHAINS_MS = 5_000;

export interface Listed<T> {
  readonly items: readonly T[];
  readonly meta: { readonly total: number; readonly next_cursor?: string };
}

/** Where a page begins, and how long it is. */
interface PageParameters {
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** A list of the API, page by page. */
export function listOptions<T>(
  queryKey: readonly unknown[],
  read: (page: PageParameters, signal: AbortSignal) => Promise<Listed<T>>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read({ cursor: pageParam, limit: PAGE_ROWS }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }) => meta.next_cursor,
  });
}

/** All rows that were read so far, and how many there are. */
export function rowsOf<T>(pages: readonly Listed<T>[] | undefined): { rows: readonly T[]; total: number } {
  return { rows: pages?.flatMap(({ items }) => items) ?? [], total: pages?.[0]?.meta.total ?? 0 };
}

export const searchQuery = (q: string) =>
  queryOptions({
    queryKey: ['search', q],
    queryFn: async ({ signal }) => {
      const { items } = await bodyOf(api.GET('/search', { params: { query: { q } }, signal }));
      return items.filter((hit): hit is Found => hit.type !== 'audit_log');
    },
    enabled: q !== '',
  });

export const statsQuery = queryOptions({
  queryKey: ['stats'],
  queryFn: ({ signal }) => bodyOf(api.GET('/stats', { signal })),
  refetchInterval: 30_000,
});

export type StatsSeries = Schemas['StatsSeries'];
export type Period = StatsSeries['period'];

/** @param channelId of one channel; undefined: of the project */
export const seriesQuery = (period: Period, channelId?: string) =>
  queryOptions({
    queryKey: ['stats', 'series', period, channelId],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/stats/series', {
          params: { query: { period, ...(channelId !== undefined && { channel_id: channelId }) } },
          signal,
        }),
      ),
    // Long periods change slowly, and cost more.
    refetchInterval: period === '1h' ? 30_000 : 300_000,
    placeholderData: keepPreviousData,
  });

export const chainsQuery = queryOptions({
  queryKey: ['chains'],
  queryFn: ({ signal }) => bodyOf(api.GET('/blockchains', { params: { query: { limit: 100 } }, signal })),
  refetchInterval: CHAINS_MS,
});

/** A chain of the installation; undefined where it is not known. */
export function useChain(gid: string): Blockchain | undefined {
  const isKnown = useMay()('api:blockchain:read');
  const { data } = useQuery({ ...chainsQuery, enabled: isKnown });
  return data?.items.find((chain) => chain.gid === gid);
}

/** Chains by their names for people, as text. */
export function useChainName(): (gid: string) => string {
  const isKnown = useMay()('api:blockchain:read');
  const { data } = useQuery({ ...chainsQuery, enabled: isKnown });
  return (gid) => data?.items.find((chain) => chain.gid === gid)?.display_name ?? gid;
}

/** Filters as the API names them. */
export function toTransactionFilters({ chains, address, assets, groups, ...filters }: TransactionSearch) {
  return {
    ...filters,
    statuses: filters.statuses as Transaction['status'][] | undefined,
    chain_gids: chains as string[] | undefined,
    addresses: address === undefined ? undefined : [address],
    asset_gids: assets as string[] | undefined,
    groups: groups as string[] | undefined,
  };
}

export const transactionsQuery = (search: TransactionSearch) =>
  listOptions(['transactions', search], (page, signal) =>
    bodyOf(
      api.GET('/transactions', { params: { query: { ...toTransactionFilters(search), ...page } }, signal }),
    ),
  );

export const transactionQuery = (id: string) =>
  queryOptions({
    queryKey: ['transaction', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/transactions/{transaction_id}', { params: { path: { transaction_id: id } }, signal })),
    // Confirmations grow with blocks, which are no events.
    refetchInterval: ({ state }) => (isOpen(state.data) ? CHAINS_MS : false),
  });

/** Whether time alone changes what a transaction shows. */
export function isOpen(transaction: Transaction | undefined): boolean {
  return transaction !== undefined && (transaction.status === 'pending' || transaction.status === 'detected');
}

export const blockQuery = (chainGid: string, number: number) =>
  queryOptions({
    queryKey: ['block', chainGid, number],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/blocks/{chain_gid}/{block_number}', {
          params: { path: { chain_gid: chainGid, block_number: number } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.status === 'confirmed' ? false : CHAINS_MS),
  });

export const eventsOfTransactionQuery = (transactionId: string) =>
  queryOptions({
    queryKey: ['events', transactionId],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/events', {
          params: { query: { transaction_id: transactionId, sort_by: 'created_at', limit: 100 } },
          signal,
        }),
      ),
  });

export const recentEventsQuery = queryOptions({
  queryKey: ['events', 'recent'],
  queryFn: ({ signal }) => bodyOf(api.GET('/events', { params: { query: { limit: 8 } }, signal })),
});

/** Filters as the API names them. */
export function toEventFilters({ types, chains, since, until }: EventSearch) {
  return {
    types: types as EventType[] | undefined,
    chain_gids: chains as string[] | undefined,
    since,
    until,
  };
}

export const eventsQuery = (search: EventSearch) =>
  listOptions(['events', 'list', search], (page, signal) =>
    bodyOf(api.GET('/events', { params: { query: { ...toEventFilters(search), ...page } }, signal })),
  );

export const eventQuery = (id: string) =>
  queryOptions({
    queryKey: ['event', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/events/{event_id}', { params: { path: { event_id: id } }, signal })),
    staleTime: SLOW_MS,
  });

/** The same as text: what a delivery of it carried. */
export const eventTextQuery = (id: string) =>
  queryOptions({
    queryKey: ['event', id, 'text'],
    queryFn: ({ signal }) =>
      textOf(api.GET('/events/{event_id}', { params: { path: { event_id: id } }, parseAs: 'text', signal })),
    staleTime: SLOW_MS,
  });

export const deliveriesOfEventQuery = (eventId: string) =>
  queryOptions({
    queryKey: ['deliveries', 'event', eventId],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/events/{event_id}/deliveries', {
          params: { path: { event_id: eventId }, query: { limit: 100 } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.items.every(isSettled) ? false : CHAINS_MS),
  });

export const deliveriesOfChannelQuery = (channelId: string, statuses: readonly string[] | undefined) =>
  listOptions(['deliveries', 'channel', channelId, statuses], (page, signal) =>
    bodyOf(
      api.GET('/notification_channels/{notification_channel_id}/deliveries', {
        params: {
          path: { notification_channel_id: channelId },
          query: { statuses: statuses as DeliveryStatus[] | undefined, ...page },
        },
        signal,
      }),
    ),
  );

export const deliveryQuery = (channelId: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['delivery', deliveryId],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/notification_channels/{notification_channel_id}/deliveries/{delivery_id}', {
          params: { path: { notification_channel_id: channelId, delivery_id: deliveryId } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (state.data && isSettled(state.data) ? false : 1_000),
  });

function isSettled({ status }: Pick<Delivery, 'status'>): boolean {
  return status !== 'pending' && status !== 'held';
}

export const channelsQuery = queryOptions({
  queryKey: ['channels'],
  queryFn: ({ signal }) =>
    bodyOf(api.GET('/notification_channels', { params: { query: { limit: 100 } }, signal })),
  refetchInterval: 15_000,
});

export const channelQuery = (id: string) =>
  queryOptions({
    queryKey: ['channel', id],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/notification_channels/{notification_channel_id}', {
          params: { path: { notification_channel_id: id } },
          signal,
        }),
      ),
    refetchInterval: CHAINS_MS,
  });

/** Filters as the API names them. */
export function toAddressFilters({ families, groups, monitored, ...filters }: AddressSearch) {
  return {
    ...filters,
    groups: groups as string[] | undefined,
    chain_families: families as Address['chain_family'][] | undefined,
    is_monitored: monitored === undefined ? undefined : monitored === 'true',
  };
}

export const addressesQuery = (search: AddressSearch) =>
  listOptions(['addresses', search], (page, signal) =>
    bodyOf(api.GET('/addresses', { params: { query: { ...toAddressFilters(search), ...page } }, signal })),
  );

export const addressQuery = (address: string) =>
  queryOptions({
    queryKey: ['address', address],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/addresses/{address}', { params: { path: { address } }, signal })),
    // The search in its past goes on without events.
    refetchInterval: ({ state }) =>
      ['running', 'pending'].includes(state.data?.backfill?.status ?? '') ? CHAINS_MS : false,
  });

export const balancesQuery = (address: string) =>
  queryOptions({
    queryKey: ['balances', address],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/addresses/{address}/balances/details', { params: { path: { address } }, signal })),
    refetchInterval: 15_000,
  });

/** The two parts that stand in the paths of the API. */
export function splitAssetGid(assetGid: string): { chain_gid: string; asset_path: string } {
  const slash = assetGid.indexOf('/');
  return { chain_gid: assetGid.slice(0, slash), asset_path: assetGid.slice(slash + 1) };
}

/** What people call an asset. Where that is not known, the name of its contract, and never a bare number. */
export function useSymbol(assetGid: string): string {
  const path = splitAssetGid(assetGid);
  const isKnown = useMay()('api:token:read');
  const { data, isFetching } = useQuery({
    queryKey: ['token', assetGid],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/tokens/{chain_gid}/{asset_path}', { params: { path }, signal })),
    staleTime: SLOW_MS,
    enabled: isKnown,
  });
  if (data?.symbol) return data.symbol;
  if (data === undefined && isFetching) return '…';
  const [namespace, reference = ''] = path.asset_path.split(':');
  if (namespace === 'slip44') return 'coin';
  return /^\d+$/.test(reference) ? path.asset_path : shorten(reference);
}
