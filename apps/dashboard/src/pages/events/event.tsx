// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { deliveriesOfEventQuery, eventQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Hash } from '../../ui/copy.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Fact, Facts, Page, Panel } from '../../ui/panel.tsx';
import { Time } from '../../ui/time.tsx';
import { DeliveryRow } from '../deliveries/delivery-row.tsx';
import { Message } from '../deliveries/message.tsx';

/** An event as it was told, and to whom. */
export function EventPage() {
  const { id } = useParams({ from: '/shell/events/$id' });
  const may = useMay();
  const query = useQuery(eventQuery(id));
  const deliveries = useQuery({ ...deliveriesOfEventQuery(id), enabled: may('api:delivery:read') });
  if (query.isPending) return <Waiting rows={10} />;
  if (query.error)
    return (
      <Page title="Event">
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      </Page>
    );
  const event = query.data;
  const transaction = 'transaction' in event.data ? event.data.transaction : undefined;
  return (
    <Page eyebrow="Event" title={<span className="font-mono">{event.type}</span>}>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="flex min-w-0 flex-col gap-5">
          <Panel title="Deliveries" isFlush>
            {deliveries.error && <Problem error={deliveries.error} />}
            <ul className="divide-y divide-line">
              {deliveries.data?.items.map((delivery) => (
                <DeliveryRow key={delivery.id} delivery={delivery} />
              ))}
              {deliveries.data?.items.length === 0 && (
                <li className="px-4 py-3 text-[13px] text-soft">No channel subscribes to this event.</li>
              )}
            </ul>
          </Panel>
          <Message title="Event" line={event.event_id} headers={undefined} body={event} />
        </div>
        <Panel title="Details">
          <Facts>
            <Fact name="Event">
              <Hash text={event.event_id} isWhole />
            </Fact>
            <Fact name="Created">
              <Time at={event.created_at} isLong />
            </Fact>
            {event.sequence !== null && <Fact name="Sequence">{event.sequence}</Fact>}
            {transaction && (
              <Fact name="Transaction">
                <Link
                  to="/transactions/$id"
                  params={{ id: transaction.id }}
                  className="font-mono break-all text-accent-ink hover:underline"
                >
                  {transaction.hash}
                </Link>
              </Fact>
            )}
          </Facts>
        </Panel>
      </div>
    </Page>
  );
}
