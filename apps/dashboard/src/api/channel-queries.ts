// SPDX-License-Identifier: Apache-2.0
import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf } from './client.ts';

const CHANNEL_MS = 5_000;
/** Events of a channel that was given up are few. */
const FAILURES_READ = 100;

/** How many events wait for the channel. */
export const heldCountQuery = (channelId: string) =>
  queryOptions({
    queryKey: ['deliveries', 'held', channelId],
    queryFn: async ({ signal }) => {
      const { meta } = await bodyOf(
        api.GET('/notification_channels/{notification_channel_id}/deliveries', {
          params: {
            path: { notification_channel_id: channelId },
            query: { statuses: ['held'], limit: 1 },
          },
          signal,
        }),
      );
      return meta.total;
    },
    refetchInterval: CHANNEL_MS,
  });

export const webhookSecretsQuery = (channelId: string) =>
  queryOptions({
    queryKey: ['channel', channelId, 'secrets'],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/notification_channels/{notification_channel_id}/webhook-secrets', {
          params: { path: { notification_channel_id: channelId } },
          signal,
        }),
      ),
    refetchInterval: CHANNEL_MS,
  });

/** When a channel was given up, as long as events are kept, newest first. */
export const failuresQuery = (channelId: string) =>
  queryOptions({
    queryKey: ['events', 'failures', channelId],
    queryFn: async ({ signal }) => {
      const { items } = await bodyOf(
        api.GET('/events', {
          params: { query: { types: ['channel.failed'], limit: FAILURES_READ } },
          signal,
        }),
      );
      return items.flatMap(({ event_id, data }) =>
        'channel' in data && data.channel.id === channelId ? [{ eventId: event_id, ...data.channel }] : [],
      );
    },
  });
