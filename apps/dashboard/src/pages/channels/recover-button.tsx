// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { Modal, ModalActions } from '../../ui/modal.tsx';
import { Problem } from '../../ui/notice.tsx';
import { tell } from '../../ui/toast.tsx';

const HOUR_MS = 3_600_000;
const SPANS = [
  [HOUR_MS, 'hour'],
  [24 * HOUR_MS, 'day'],
  [7 * 24 * HOUR_MS, 'week'],
  [30 * 24 * HOUR_MS, '30 days'],
] as const;

/** Sends what failed within a time once more: after an outage of the receiver. */
export function RecoverButton({ channelId }: { readonly channelId: string }) {
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [spanMs, setSpanMs] = useState<number>(SPANS[1][0]);
  const recovering = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/notification_channels/{notification_channel_id}/deliveries/actions/recover', {
          params: { path: { notification_channel_id: channelId } },
          body: { since: new Date(Date.now() - spanMs).toISOString() },
        }),
      ),
    onSuccess: async ({ recovered_count }) => {
      setAsking(false);
      tell(`${recovered_count.toLocaleString()} deliveries are being resent`);
      await client.invalidateQueries({ queryKey: ['deliveries'] });
    },
  });
  return (
    <>
      <Button isSmall icon={<History aria-hidden className="size-3.5" />} onClick={() => setAsking(true)}>
        Recover
      </Button>
      {isAsking && (
        <Modal
          title="Retry failed deliveries"
          description="Sends events again that failed during an outage. Events already delivered are skipped."
          onClose={() => setAsking(false)}
        >
          <div className="flex flex-col gap-3">
            <Select label="Period" value={spanMs} onChange={(event) => setSpanMs(Number(event.target.value))}>
              {SPANS.map(([ms, title]) => (
                <option key={ms} value={ms}>
                  {title}
                </option>
              ))}
            </Select>
            {recovering.error && <Problem error={recovering.error} />}
          </div>
          <ModalActions>
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button look="primary" isBusy={recovering.isPending} onClick={() => recovering.mutate()}>
              Retry deliveries
            </Button>
          </ModalActions>
        </Modal>
      )}
    </>
  );
}
