// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, bodyOf } from '../../../api/client.ts';
import type { Kind } from '../kinds.ts';
import { newDraft } from './channel-draft.ts';
import { ChannelForm } from './channel-form.tsx';

export interface MadeChannel {
  readonly id: string;
  /** Of kinds that sign their deliveries. */
  readonly webhook_secret?: string;
}

interface CreateFormProps {
  readonly kind: Kind;
  readonly onBack: () => void;
  readonly onMade: (channel: MadeChannel) => void;
}

export function CreateForm({ kind, onBack, onMade }: CreateFormProps) {
  const client = useQueryClient();
  const creating = useMutation({
    mutationFn: (body: Readonly<Record<string, unknown>>): Promise<MadeChannel> => {
      // Each kind has an operation of its own, and the fields of the form are that kind's.
      const path = `/notification_channels/${kind}` as '/notification_channels/webhook';
      return bodyOf(api.POST(path, { body: body as never }));
    },
    onSuccess: async (channel) => {
      await client.invalidateQueries({ queryKey: ['channels'] });
      onMade(channel);
    },
  });
  return (
    <ChannelForm
      kind={kind}
      before={newDraft(kind)}
      action="Add channel"
      sending={creating}
      back="Back"
      onBack={onBack}
    />
  );
}
