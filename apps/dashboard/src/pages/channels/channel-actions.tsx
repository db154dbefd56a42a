// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Archive, Pencil } from 'lucide-react';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import type { Channel } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';
import { EditDialog } from './form/edit-dialog.tsx';
import { RestoreButton } from './restore-button.tsx';
import { TestButton } from './test-button.tsx';

const CHANGED = ['channel', 'channels', 'deliveries', 'stats'];

export function ChannelActions({ channel }: { readonly channel: Channel }) {
  const client = useQueryClient();
  const [isEditing, setEditing] = useState(false);
  const params = { path: { notification_channel_id: channel.id } };
  const refresh = () =>
    client.invalidateQueries({ predicate: ({ queryKey }) => CHANGED.includes(String(queryKey[0])) });
  const archiving = useMutation({
    mutationFn: () =>
      bodyOf(api.POST('/notification_channels/{notification_channel_id}/actions/archive', { params })),
    onSuccess: () => tell('Channel archived'),
    onError: tellProblem,
    onSettled: refresh,
  });
  return (
    <>
      {!channel.is_archived && <TestButton channelId={channel.id} />}
      <Button icon={<Pencil aria-hidden className="size-4" />} onClick={() => setEditing(true)}>
        Edit
      </Button>
      {isEditing && <EditDialog channel={channel} onClose={() => setEditing(false)} />}
      {channel.is_archived || channel.status === 'failed' ? (
        <RestoreButton channel={channel} onRestored={refresh} />
      ) : (
        <ConfirmButton
          look="danger"
          isBusy={archiving.isPending}
          icon={<Archive aria-hidden className="size-4" />}
          question={`Archive ${channel.name}?`}
          consequence="Deliveries stop. Events are held for 14 days and can be delivered when you restore the channel."
          onConfirm={() => archiving.mutate()}
        >
          Archive
        </ConfirmButton>
      )}
    </>
  );
}
