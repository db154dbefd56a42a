// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import { api, bodyOf } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { tellProblem } from '../../ui/toast.tsx';

/** Sends a made-up event through the channel, and shows what became of it. */
export function TestButton({ channelId }: { readonly channelId: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const testing = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/notification_channels/{notification_channel_id}/actions/test', {
          params: { path: { notification_channel_id: channelId } },
          body: { event_type: 'transaction.detected' },
        }),
      ),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({
        predicate: ({ queryKey }) =>
          ['channel', 'channels', 'deliveries', 'stats'].includes(String(queryKey[0])),
      });
      await navigate({
        to: '/channels/$id/deliveries/$deliveryId',
        params: { id: channelId, deliveryId: id },
      });
    },
    onError: tellProblem,
  });
  return (
    <Button
      isBusy={testing.isPending}
      icon={<FlaskConical aria-hidden className="size-4" />}
      onClick={() => testing.mutate()}
    >
      Send test message
    </Button>
  );
}
