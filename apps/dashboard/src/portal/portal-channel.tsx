// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { heldCountQuery } from '../api/channel-queries.ts';
import { channelQuery, channelsQuery } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { withoutEmpty } from '../app/search-params.ts';
import { ChannelDetails } from '../pages/channels/channel-details.tsx';
import { DeliveryLog } from '../pages/channels/delivery-log.tsx';
import { describeKind } from '../pages/channels/kinds.ts';
import { TestButton } from '../pages/channels/test-button.tsx';
import { DeliveryView } from '../pages/deliveries/delivery.tsx';
import { Problem, Waiting } from '../ui/notice.tsx';
import { Page, Panel } from '../ui/panel.tsx';
import { Status } from '../ui/status.tsx';

/** A channel: how it is, and its deliveries. */
export function PortalChannel() {
  const { id = '' } = useParams({ strict: false });
  const { statuses } = useSearch({ strict: false });
  const navigate = useNavigate();
  const may = useMay();
  const query = useQuery(channelQuery(id));
  const channels = useQuery(channelsQuery);
  if (query.isPending) return <Waiting rows={8} />;
  if (query.error)
    return (
      <Page title="Channel">
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      </Page>
    );
  const channel = query.data;
  const isOneOfMany = channels.data !== undefined && channels.data.items.length > 1;
  const choose = (chosen: readonly string[] | undefined): void =>
    void navigate({
      to: '/channels/$id',
      params: { id },
      search: withoutEmpty({ statuses: chosen }),
      replace: true,
    });
  return (
    <Page
      eyebrow={
        <>
          {isOneOfMany && (
            <>
              <Link to="/" className="hover:text-ink">
                Notifications
              </Link>{' '}
              /{' '}
            </>
          )}
          {describeKind(channel.kind).title}
        </>
      }
      title={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {channel.name}
          <Status of={channel.status} />
        </span>
      }
      actions={
        may('api:notification_channel:write') && !channel.is_archived && <TestButton channelId={channel.id} />
      }
    >
      <Held channelId={channel.id} />
      <DeliveryLog
        channelId={channel.id}
        nextProbe={channel.next_attempt_at}
        statuses={statuses}
        onChoose={choose}
      />
      <Panel title="Details">
        <ChannelDetails channel={channel} />
      </Panel>
    </Page>
  );
}

/** What waits because the channel takes nothing. */
function Held({ channelId }: { readonly channelId: string }) {
  const { data: count = 0 } = useQuery(heldCountQuery(channelId));
  if (count === 0) return null;
  return (
    <p className="rounded-lg border border-line bg-warn-wash px-3 py-2 text-[13px] text-warn">
      {count === 1 ? '1 event waits' : `${count.toLocaleString()} events wait`} for this channel.
    </p>
  );
}

export function PortalDelivery() {
  const { id = '', deliveryId = '' } = useParams({ strict: false });
  return <DeliveryView channelId={id} deliveryId={deliveryId} />;
}
