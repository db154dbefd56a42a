// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ArchiveRestore } from 'lucide-react';
import { useState } from 'react';
import { heldCountQuery } from '../../api/channel-queries.ts';
import { api, bodyOf } from '../../api/client.ts';
import type { Channel } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { Modal, ModalActions } from '../../ui/modal.tsx';
import { Problem } from '../../ui/notice.tsx';
import { tell } from '../../ui/toast.tsx';

type Held = 'deliver' | 'discard';

interface RestoreButtonProps {
  readonly channel: Channel;
  readonly onRestored: () => Promise<unknown>;
}

/** Makes a channel active again, and says first what becomes of the events that wait for it. */
export function RestoreButton({ channel, onRestored }: RestoreButtonProps) {
  const client = useQueryClient();
  const mayCount = useMay()('api:delivery:read');
  const count = useQuery({ ...heldCountQuery(channel.id), enabled: mayCount });
  const [isAsking, setAsking] = useState(false);
  const [held, setHeld] = useState<Held>('deliver');
  const restoring = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/notification_channels/{notification_channel_id}/actions/restore', {
          params: { path: { notification_channel_id: channel.id }, query: { held } },
        }),
      ),
    onSuccess: async () => {
      setAsking(false);
      tell('Channel restored');
      await client.invalidateQueries(heldCountQuery(channel.id));
      await onRestored();
    },
  });
  const waiting =
    count.data === undefined
      ? 'Events held meanwhile'
      : `${count.data.toLocaleString()} ${count.data === 1 ? 'held event' : 'held events'}`;
  return (
    <>
      <Button
        look="primary"
        icon={<ArchiveRestore aria-hidden className="size-4" />}
        onClick={() => setAsking(true)}
      >
        Restore
      </Button>
      {isAsking && (
        <Modal
          title={`Restore ${channel.name}`}
          description="Events are held for 14 days."
          onClose={() => setAsking(false)}
        >
          <div className="flex flex-col gap-3">
            <Select label={waiting} value={held} onChange={(event) => setHeld(event.target.value as Held)}>
              <option value="deliver">Deliver, oldest first</option>
              <option value="discard">Discard</option>
            </Select>
            {restoring.error && <Problem error={restoring.error} />}
          </div>
          <ModalActions>
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button look="primary" isBusy={restoring.isPending} onClick={() => restoring.mutate()}>
              Restore
            </Button>
          </ModalActions>
        </Modal>
      )}
    </>
  );
}
