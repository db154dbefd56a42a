// SPDX-License-Identifier: Apache-2.0
import type { AddressSearch, EventSearch, TransactionSearch } from '../app/search-params.ts';
import type { ExportType } from '../ui/export-menu.tsx';
import { api, fileOf } from './client.ts';
import { toAddressFilters, toEventFilters, toTransactionFilters, type Delivery } from './queries.ts';

/** Whole lists as files: all that fits the filters, in the order of the page. */
export function exportTransactions(search: TransactionSearch, type: ExportType): Promise<Blob> {
  const query = toTransactionFilters(search);
  return fileOf(api.GET('/transactions', { params: { query }, ...asFile(type) }));
}

export function exportAddresses(search: AddressSearch, type: ExportType): Promise<Blob> {
  const query = toAddressFilters(search);
  return fileOf(api.GET('/addresses', { params: { query }, ...asFile(type) }));
}

export function exportEvents(search: EventSearch, type: ExportType): Promise<Blob> {
  const query = toEventFilters(search);
  return fileOf(api.GET('/events', { params: { query }, ...asFile(type) }));
}

export function exportDeliveries(
  channelId: string,
  statuses: readonly string[] | undefined,
  type: ExportType,
): Promise<Blob> {
  const path = { notification_channel_id: channelId };
  const query = { statuses: statuses as Delivery['status'][] | undefined };
  return fileOf(
    api.GET('/notification_channels/{notification_channel_id}/deliveries', {
      params: { path, query },
      ...asFile(type),
    }),
  );
}

function asFile(type: ExportType) {
  return { headers: { Accept: type }, parseAs: 'blob' } as const;
}
