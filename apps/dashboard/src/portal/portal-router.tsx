// SPDX-License-Identifier: Apache-2.0
import {
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  Link,
  Navigate,
  useNavigate,
  useParams,
  useSearch,
} from '@tanstack/react-router';
import { RouteProblem } from '../app/route-problem.tsx';
import { listOf, withoutEmpty } from '../app/search-params.ts';
import { useQuery } from '@tanstack/react-query';
import { MayContext, useMay } from '../api/session.ts';
import { Problem, Waiting, Empty } from '../ui/notice.tsx';
import { portalQuery } from './portal-session.ts';
import { TimeLeft } from '../ui/time.tsx';
import { Send } from 'lucide-react';
import { channelsQuery, type Channel, channelQuery } from '../api/queries.ts';
import { describeKind, targetOf } from '../pages/channels/kinds.ts';
import { Page, Panel } from '../ui/panel.tsx';
import { Status } from '../ui/status.tsx';
import { ROW_LINK, Table, type Column } from '../ui/table.tsx';
import { heldCountQuery } from '../api/channel-queries.ts';
import { ChannelDetails } from '../pages/channels/channel-details.tsx';
import { DeliveryLog } from '../pages/channels/delivery-log.tsx';
import { TestButton } from '../pages/channels/test-button.tsx';
import { DeliveryView } from '../pages/deliveries/delivery.tsx';

/** The pages below a session's own address. Their paths are the dashboard's, so that its parts lead from one to another. */
export function createPortalRouter(sessionId: string) {
  const root = createRootRoute({
    component: () => <PortalShell sessionId={sessionId} />,
    errorComponent: RouteProblem,
    notFoundComponent: PortalChannels,
  });
  const parent = () => root;
  const channels = createRoute({ getParentRoute: parent, path: '/', component: PortalChannels });
  const channel = createRoute({
    getParentRoute: parent,
    path: '/channels/$id',
    validateSearch: (search): { statuses?: readonly string[] } =>
      withoutEmpty({ statuses: listOf(search.statuses) }),
    component: PortalChannel,
  });
  const delivery = createRoute({
    getParentRoute: parent,
    path: '/channels/$id/deliveries/$deliveryId',
    component: PortalDelivery,
  });
  return createRouter({
    basepath: `/ui/portal/${sessionId}`,
    routeTree: root.addChildren([channels, channel, delivery]),
  });
}

/** What stands around every page of a portal: nothing but what it may do. */
function PortalShell({ sessionId }: { readonly sessionId: string }) {
  const query = useQuery(portalQuery(sessionId));
  const granted: readonly string[] = query.data?.permissions ?? [];
  return (
    <MayContext value={(permission) => granted.includes(permission)}>
      <div className="flex min-h-dvh flex-col">
        <main id="content" className="flex-1">
          {query.isPending ? (
            <Waiting rows={8} />
          ) : query.error ? (
            <div className="p-4">
              <Problem error={query.error} onRetry={() => void query.refetch()} />
            </div>
          ) : (
            <Outlet />
          )}
        </main>
        {query.data && <PortalEnd at={query.data.expires_at} />}
      </div>
    </MayContext>
  );
}

/** A session is short: who reads it is told before it ends. */
function PortalEnd({ at }: { readonly at: string }) {
  return (
    <footer className="mx-auto w-full max-w-[1400px] px-4 pb-4 text-xs text-faint sm:px-6 lg:px-8">
      This page is open for another <TimeLeft until={at} />.
    </footer>
  );
}

/** The channels of the session with their health; a single one needs no list. */
function PortalChannels() {
  const query = useQuery(channelsQuery);
  const channels = query.data?.items ?? [];
  if (channels.length === 1) return <Navigate to="/channels/$id" params={{ id: channels[0]!.id }} replace />;
  return (
    <Page title="Notifications">
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <Panel isFlush>
        {query.isPending ? (
          <Waiting rows={4} />
        ) : channels.length > 0 ? (
          <Table label="Channels" columns={COLUMNS} rows={channels} keyOf={({ id }) => id} />
        ) : (
          <Empty icon={<Send />} title="No channels">
            The channels of this page were deleted.
          </Empty>
        )}
      </Panel>
    </Page>
  );
}

const COLUMNS: readonly Column<Channel>[] = [
  {
    name: 'Channel',
    width: 'minmax(10rem, 1fr)',
    cell: ({ id, name }) => (
      <Link to="/channels/$id" params={{ id }} className={`${ROW_LINK} truncate`}>
        {name}
      </Link>
    ),
  },
  { name: 'Kind', width: '6rem', cell: ({ kind }) => describeKind(kind).title },
  { name: 'Status', width: '7rem', cell: ({ status }) => <Status of={status} /> },
  {
    name: 'Target',
    width: 'minmax(12rem, 1.6fr)',
    cell: (channel) => <span className="truncate font-mono text-xs text-soft">{targetOf(channel)}</span>,
  },
];

/** A channel: how it is, and its deliveries. */
function PortalChannel() {
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

function PortalDelivery() {
  const { id = '', deliveryId = '' } = useParams({ strict: false });
  return <DeliveryView channelId={id} deliveryId={deliveryId} />;
}
