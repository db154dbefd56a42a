// SPDX-License-Identifier: Apache-2.0
import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Truck, History } from 'lucide-react';
import { exportDeliveries } from '../../api/exports.ts';
import { deliveriesOfChannelQuery, rowsOf, type Delivery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { ChoiceChip, orNone } from '../../ui/chips.tsx';
import { ExportMenu } from '../../ui/export-menu.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { Empty, Problem } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Badge, Status, toWords } from '../../ui/status.tsx';
import { ABOVE_ROW_LINK, ROW_LINK, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { When } from '../deliveries/delivery-row.tsx';
import { RedeliverButton } from '../deliveries/redeliver-button.tsx';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { Modal, ModalActions } from '../../ui/modal.tsx';
import { tell } from '../../ui/toast.tsx';

/** What becomes of a delivery is no event. */
const DELIVERIES_MS = 5_000;
const STATUSES = ['pending', 'held', 'delivered', 'failed', 'discarded'];

interface DeliveryLogProps {
  readonly channelId: string;
  /** When a failing channel tries its oldest held delivery. */
  readonly nextProbe?: string | null;
  readonly statuses: readonly string[] | undefined;
  readonly onChoose: (statuses: readonly string[] | undefined) => void;
  /** It may be taken along as a file. */
  readonly isExported?: boolean;
}

export function DeliveryLog({
  channelId,
  nextProbe = null,
  statuses,
  onChoose,
  isExported = false,
}: DeliveryLogProps) {
  const may = useMay();
  const query = useInfiniteQuery({
    ...deliveriesOfChannelQuery(channelId, statuses),
    placeholderData: keepPreviousData,
    refetchInterval: DELIVERIES_MS,
  });
  const columns = [...columnsOf(nextProbe), ...(may('api:delivery:replay') ? [ACTION] : [])];
  const { rows, total } = rowsOf(query.data?.pages);
  return (
    <Panel
      title={`Deliveries${query.data ? ` · ${total.toLocaleString()}` : ''}`}
      isFlush
      aside={
        <span className="flex flex-wrap items-center justify-end gap-2">
          <ChoiceChip
            name="Status"
            options={STATUSES.map((value) => ({ value, title: toWords(value) }))}
            chosen={statuses ?? []}
            onChange={(chosen) => onChoose(orNone(chosen))}
          />
          {may('api:delivery:replay') && <RecoverButton channelId={channelId} />}
          {isExported && total > 0 && (
            <ExportMenu
              isSmall
              name="deliveries"
              read={(type) => exportDeliveries(channelId, statuses, type)}
            />
          )}
        </span>
      }
    >
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <LoadedTable
        label="Deliveries"
        query={query}
        rows={rows}
        columns={columns}
        waitingRows={6}
        empty={
          <Empty icon={<Truck />} title={statuses ? 'No deliveries with this status' : 'No deliveries yet'}>
            {statuses
              ? 'Clear the filter to see all deliveries.'
              : 'Send a test message to see what your system receives.'}
          </Empty>
        }
      />
    </Panel>
  );
}

const columnsOf = (nextProbe: string | null): readonly Column<Delivery>[] => [
  {
    name: 'Event',
    width: 'minmax(12rem, 1fr)',
    cell: ({ id, channel_id, event_type, is_test_message }) => (
      <span className="flex min-w-0 items-center gap-2">
        <Link
          to="/channels/$id/deliveries/$deliveryId"
          params={{ id: channel_id, deliveryId: id }}
          className={`${ROW_LINK} truncate font-mono`}
        >
          {event_type}
        </Link>
        {is_test_message && <Badge>Test</Badge>}
      </span>
    ),
  },
  { name: 'Status', width: '7rem', cell: ({ status }) => <Status of={status} /> },
  {
    name: 'Outcome',
    width: 'minmax(14rem, 1fr)',
    cell: (delivery) => (
      <span className="truncate text-soft" title={delivery.last_error ?? undefined}>
        <When delivery={delivery} nextProbe={nextProbe} />
      </span>
    ),
  },
  { name: 'Created', width: '5rem', isRight: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

const ACTION: Column<Delivery> = {
  name: 'Action',
  width: '7rem',
  isRight: true,
  cell: (delivery) => (
    <span className={ABOVE_ROW_LINK}>
      <RedeliverButton delivery={delivery} isSmall />
    </span>
  ),
};

const HOUR_MS = 3_600_000;
const SPANS = [
  [HOUR_MS, 'hour'],
  [24 * HOUR_MS, 'day'],
  [7 * 24 * HOUR_MS, 'week'],
  [30 * 24 * HOUR_MS, '30 days'],
] as const;

/** Sends what failed within a time once more: after an outage of the receiver. */
function RecoverButton({ channelId }: { readonly channelId: string }) {
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
