import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Archive } from 'lucide-react';
import { api, bodyOf } from '../../api/client.ts';
import type { Channel } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';
import { RestoreButton } from './restore-button.tsx';
import { TestButton } from './test-button.tsx';

const CHANGED = ['channel', 'channels', 'deliveries', 'stats'];

export function ChannelActions({ channel }: { readonly channel: Channel }) {
  const client = useQueryClient();
  const params = { path: { notification_channel_id: channel.id } };
  const refresh = () =>
    client.invalidateQueries({ predicate: ({ queryKey }) => CHANGED.includes(String(queryKey[0])) });
  const archiving = useMutation({
    mutationFn: () =>
      bodyOf(api.POST('/notification_channels/{notification_channel_id}/actions/archive', { params })),
    onSuccess: () => tell('The channel is archived'),
    onError: tellProblem,
    onSettled: refresh,
  });
  return (
    <>
      {!channel.is_archived && <TestButton channelId={channel.id} />}
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
