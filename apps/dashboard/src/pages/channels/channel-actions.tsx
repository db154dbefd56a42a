import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Archive, FlaskConical } from 'lucide-react';
import { api, bodyOf } from '../../api/client.ts';
import type { Channel } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';
import { RestoreButton } from './restore-button.tsx';

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
    onError: tellProblem,
  });
  const archiving = useMutation({
    mutationFn: () =>
      bodyOf(api.POST('/notification_channels/{notification_channel_id}/actions/archive', { params })),
    onSuccess: () => tell('The channel is archived'),
    onError: tellProblem,
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
        <RestoreButton channel={channel} onRestored={refresh} />
      ) : (
        <ConfirmButton
          look="danger"
          isBusy={archiving.isPending}
          icon={<Archive aria-hidden className="size-4" />}
          question={`Archive ${channel.name}?`}
          consequence="Nothing is delivered through it any more. Its events are held for 14 days, and go out when it is restored."
          onConfirm={() => archiving.mutate()}
        >
          Archive
        </ConfirmButton>
      )}
    </>
  );
}
