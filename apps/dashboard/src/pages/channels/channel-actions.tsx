import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Archive, ArchiveRestore, FlaskConical } from 'lucide-react';
import { api, bodyOf } from '../../api/client.ts';
import type { Channel } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { tell } from '../../ui/toast.tsx';

const CHANGED = ['channel', 'channels', 'deliveries', 'stats'];

export function ChannelActions({ channel }: { readonly channel: Channel }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const params = { path: { notification_channel_id: channel.id } };
  const refresh = () =>
    client.invalidateQueries({ predicate: ({ queryKey }) => CHANGED.includes(String(queryKey[0])) });
  const testing = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/notification_channels/{notification_channel_id}/actions/test', {
          params,
          body: { event_type: 'transaction.detected' },
        }),
      ),
    onSuccess: async ({ id }) => {
      await refresh();
      await navigate({
        to: '/channels/$id/deliveries/$deliveryId',
        params: { id: channel.id, deliveryId: id },
      });
    },
    onError: (error) => tell(error.message),
  });
  const switching = useMutation({
    mutationFn: async (action: 'archive' | 'restore') =>
      action === 'archive'
        ? bodyOf(api.POST('/notification_channels/{notification_channel_id}/actions/archive', { params }))
        : bodyOf(api.POST('/notification_channels/{notification_channel_id}/actions/restore', { params })),
    onSuccess: (_, action) =>
      tell(action === 'archive' ? 'The channel is archived' : 'The channel is active'),
    onError: (error) => tell(error.message),
    onSettled: refresh,
  });
  return (
    <>
      {!channel.is_archived && (
        <Button
          isBusy={testing.isPending}
          icon={<FlaskConical aria-hidden className="size-4" />}
          onClick={() => testing.mutate()}
        >
          Send test message
        </Button>
      )}
      {channel.is_archived || channel.status === 'failed' ? (
        <Button
          look="primary"
          isBusy={switching.isPending}
          icon={<ArchiveRestore aria-hidden className="size-4" />}
          onClick={() => switching.mutate('restore')}
        >
          Restore
        </Button>
      ) : (
        <ConfirmButton
          look="danger"
          isBusy={switching.isPending}
          icon={<Archive aria-hidden className="size-4" />}
          question={`Archive ${channel.name}?`}
          consequence="Nothing is delivered through it any more. Its events are held for 14 days, and go out when it is restored."
          onConfirm={() => switching.mutate('archive')}
        >
          Archive
        </ConfirmButton>
      )}
    </>
  );
}
