// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { api, bodyOf } from '../../api/client.ts';
import type { Delivery } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';

interface RedeliverButtonProps {
  readonly delivery: Pick<Delivery, 'id' | 'channel_id'>;
  readonly isSmall?: boolean;
}

/** Sends the same event once more; receivers know it by its id. */
export function RedeliverButton({ delivery, isSmall }: RedeliverButtonProps) {
  const client = useQueryClient();
  const redelivering = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST(
          '/notification_channels/{notification_channel_id}/deliveries/{delivery_id}/actions/redeliver',
          {
            params: { path: { notification_channel_id: delivery.channel_id, delivery_id: delivery.id } },
          },
        ),
      ),
    onSuccess: () => tell('Delivery sent again'),
    onError: tellProblem,
    onSettled: () =>
      client.invalidateQueries({
        predicate: ({ queryKey }) => ['deliveries', 'delivery', 'stats'].includes(String(queryKey[0])),
      }),
  });
  return (
    <Button
      isSmall={isSmall}
      isBusy={redelivering.isPending}
      icon={<RotateCw aria-hidden className="size-3.5" />}
      onClick={() => redelivering.mutate()}
    >
      Redeliver
    </Button>
  );
}
