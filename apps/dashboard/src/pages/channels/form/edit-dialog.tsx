// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../../../api/client.ts';
import type { Channel } from '../../../api/queries.ts';
import { Modal } from '../../../ui/modal.tsx';
import { tell } from '../../../ui/toast.tsx';
import { describeKind } from '../kinds.ts';
import { draftOf, storedAuth } from './channel-draft.ts';
import { ChannelForm } from './channel-form.tsx';

interface EditDialogProps {
  readonly channel: Channel;
  readonly onClose: () => void;
}

/** Changes a channel; what it shows is the channel as it was when the dialog opened. */
export function EditDialog({ channel, onClose }: EditDialogProps) {
  const [opened] = useState(channel);
  const client = useQueryClient();
  const { kind, id, name } = opened;
  const saving = useMutation({
    mutationFn: (body: Readonly<Record<string, unknown>>) => {
      // Each kind has an operation of its own, and the fields of the form are that kind's.
      const path =
        `/notification_channels/${kind}/{notification_channel_id}` as '/notification_channels/webhook/{notification_channel_id}';
      const params = { path: { notification_channel_id: id } };
      return bodyOf(api.PATCH(path, { params, body: body as never }));
    },
    onSuccess: async () => {
      await client.invalidateQueries({
        predicate: ({ queryKey }) => ['channel', 'channels'].includes(String(queryKey[0])),
      });
      tell(`${name} is saved`);
      onClose();
    },
  });
  return (
    <Modal title={`Edit ${name}`} description={describeKind(kind).about} isWide onClose={onClose}>
      <ChannelForm
        kind={kind}
        before={draftOf(opened)}
        storedAuth={storedAuth(opened.config)}
        isStored
        action="Save channel"
        sending={saving}
        back="Cancel"
        onBack={onClose}
      />
    </Modal>
  );
}
