// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { channelQuery, deliveryQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Hash } from '../../ui/copy.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Fact, Facts, Page, Panel } from '../../ui/panel.tsx';
import { Badge, Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { Attempts } from './attempts.tsx';
import { RedeliverButton } from './redeliver-button.tsx';

export function DeliveryPage() {
  const { id, deliveryId } = useParams({ from: '/shell/channels/$id/deliveries/$deliveryId' });
  return <DeliveryView channelId={id} deliveryId={deliveryId} hasEventPage />;
}

interface DeliveryViewProps {
  readonly channelId: string;
  readonly deliveryId: string;
  /** Its event is a page of its own. */
  readonly hasEventPage?: boolean;
}

export function DeliveryView({ channelId, deliveryId, hasEventPage = false }: DeliveryViewProps) {
  const may = useMay();
  const query = useQuery(deliveryQuery(channelId, deliveryId));
  const channel = useQuery({ ...channelQuery(channelId), enabled: may('api:notification_channel:read') });
  if (query.isPending) return <Waiting rows={10} />;
  if (query.error)
    return (
      <Page title="Delivery">
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      </Page>
    );
  const delivery = query.data;
  return (
    <Page
      eyebrow={
        <>
          <Link to="/channels/$id" params={{ id: channelId }} className="hover:text-ink">
            {channel.data?.name ?? 'Channel'}
          </Link>{' '}
          / Delivery
        </>
      }
      title={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-mono">{delivery.event_type}</span>
          <Status of={delivery.status} />
          {delivery.is_test_message && <Badge>Test message</Badge>}
        </span>
      }
      actions={may('api:delivery:replay') && <RedeliverButton delivery={delivery} />}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <Panel title="Attempts">
          <Attempts delivery={delivery} />
        </Panel>
        <Panel title="Details">
          <Facts>
            <Fact name="Event">
              {hasEventPage ? (
                <span className="flex items-center">
                  <Link
                    to="/events/$id"
                    params={{ id: delivery.event_id }}
                    className="font-mono break-all text-accent-ink hover:underline"
                  >
                    {delivery.event_id}
                  </Link>
                </span>
              ) : (
                <Hash text={delivery.event_id} isWhole />
              )}
            </Fact>
            <Fact name="Delivery">
              <Hash text={delivery.id} isWhole />
            </Fact>
            <Fact name="Created">
              <Time at={delivery.created_at} isLong />
            </Fact>
            {delivery.delivered_at !== null && (
              <Fact name="Delivered">
                <Time at={delivery.delivered_at} isLong />
              </Fact>
            )}
            {delivery.next_attempt_at !== null && (
              <Fact name="Next attempt">
                <Time at={delivery.next_attempt_at} isLong />
              </Fact>
            )}
            {delivery.last_error !== null && <Fact name="Last error">{delivery.last_error}</Fact>}
          </Facts>
        </Panel>
      </div>
    </Page>
  );
}
