// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { channelsQuery, deliveryQuery, type Delivery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { classes } from '../../ui/classes.ts';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { TimeTo } from '../channels/time-to.tsx';
import { Attempts } from './attempts.tsx';
import { RedeliverButton } from './redeliver-button.tsx';

/** A delivery in one line; opened, every attempt of it. */
export function DeliveryRow({ delivery }: { readonly delivery: Delivery }) {
  const [isOpen, setOpen] = useState(false);
  const may = useMay();
  const channels = useQuery({ ...channelsQuery, enabled: may('api:notification_channel:read') });
  const channel = channels.data?.items.find(({ id }) => id === delivery.channel_id);
  return (
    <li>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5 text-[13px]">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="-ml-1 flex items-center gap-1.5 rounded px-1 hover:bg-hover"
        >
          <ChevronRight
            aria-hidden
            className={classes('size-4 text-faint transition-transform', isOpen && 'rotate-90')}
          />
          <Status of={delivery.status} />
          <span className="sr-only">, attempts to {channel?.name ?? 'the channel'}</span>
        </button>
        <Link
          to="/channels/$id/deliveries/$deliveryId"
          params={{ id: delivery.channel_id, deliveryId: delivery.id }}
          className="font-medium hover:text-accent-ink"
        >
          {channel?.name ?? 'Channel'}
        </Link>
        {channel && <span className="text-faint">{channel.kind}</span>}
        <span className="ml-auto flex flex-wrap items-center gap-3 text-soft">
          <When delivery={delivery} nextProbe={channel?.next_attempt_at} />
          {may('api:delivery:replay') && <RedeliverButton delivery={delivery} isSmall />}
        </span>
      </div>
      {isOpen && <OpenedDelivery delivery={delivery} />}
    </li>
  );
}

interface WhenProps {
  readonly delivery: Delivery;
  /** When its channel tries the oldest held delivery; undefined: that is not known here. */
  readonly nextProbe?: string | null | undefined;
}

export function When({ delivery, nextProbe }: WhenProps) {
  const attempts = `${delivery.attempt_count} ${delivery.attempt_count === 1 ? 'attempt' : 'attempts'}`;
  if (delivery.delivered_at !== null)
    return (
      <span>
        {attempts} · <Time at={delivery.delivered_at} />
      </span>
    );
  if (delivery.next_attempt_at !== null)
    return (
      <span>
        {attempts} · next <TimeTo at={delivery.next_attempt_at} />
      </span>
    );
  if (delivery.status === 'held')
    return (
      <span>
        {delivery.last_error ?? attempts} · held until the channel recovers
        {nextProbe && (
          <>
            , tried <TimeTo at={nextProbe} />
          </>
        )}
      </span>
    );
  return <span>{delivery.last_error ?? attempts}</span>;
}

function OpenedDelivery({ delivery }: { readonly delivery: Delivery }) {
  const query = useQuery(deliveryQuery(delivery.channel_id, delivery.id));
  return (
    <div className="border-t border-line bg-canvas px-4 py-3">
      {query.isPending ? (
        <Waiting rows={3} />
      ) : query.error ? (
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Attempts delivery={query.data} />
      )}
    </div>
  );
}
