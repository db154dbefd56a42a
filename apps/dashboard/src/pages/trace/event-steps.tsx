// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { deliveriesOfEventQuery, eventsOfTransactionQuery, type EventItem } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { DeliveryRow } from '../deliveries/delivery-row.tsx';
import { Step } from './step.tsx';

interface EventStepsProps {
  readonly transactionId: string;
  readonly isOpen: boolean;
}

/** What was told of it, and to whom. */
export function EventSteps({ transactionId, isOpen }: EventStepsProps) {
  const query = useQuery(eventsOfTransactionQuery(transactionId));
  if (query.error)
    return (
      <Step tone="bad" title="Events">
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      </Step>
    );
  if (query.isPending)
    return (
      <Step tone="wait" title="Events">
        <Waiting rows={2} />
      </Step>
    );
  if (query.data.items.length === 0)
    return (
      <Step tone="wait" title="No event">
        <p className="px-4 py-2.5 text-[13px] text-soft">
          {isOpen ? 'The event follows in a moment.' : 'Events are kept for 30 days by default.'}
        </p>
      </Step>
    );
  return query.data.items.map((event) => <EventStep key={event.event_id} event={event} />);
}

function EventStep({ event }: { readonly event: EventItem }) {
  const may = useMay();
  const query = useQuery({ ...deliveriesOfEventQuery(event.event_id), enabled: may('api:delivery:read') });
  const deliveries = query.data?.items ?? [];
  const isUndelivered = deliveries.some(({ status }) => status === 'failed');
  const isWaiting = deliveries.some(({ status }) => status === 'pending' || status === 'held');
  return (
    <Step
      tone={isUndelivered ? 'bad' : isWaiting ? 'wait' : 'ok'}
      title={
        <Link
          to="/events/$id"
          params={{ id: event.event_id }}
          className="font-mono text-[13px] hover:text-accent-ink"
        >
          {event.type}
        </Link>
      }
      aside={<Time at={event.created_at} />}
    >
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && deliveries.length === 0 && (
        <p className="px-4 py-2.5 text-[13px] text-soft">
          No channel subscribes to this event.{' '}
          <Link to="/channels" className="text-accent-ink underline">
            View channels
          </Link>
        </p>
      )}
      {deliveries.length > 0 && (
        <ul aria-label={`Deliveries of ${event.type}`} className="divide-y divide-line">
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} />
          ))}
        </ul>
      )}
    </Step>
  );
}
