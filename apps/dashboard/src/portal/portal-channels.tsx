// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { channelsQuery, type Channel } from '../api/queries.ts';
import { describeKind, targetOf } from '../pages/channels/kinds.ts';
import { Empty, Problem, Waiting } from '../ui/notice.tsx';
import { Page, Panel } from '../ui/panel.tsx';
import { Status } from '../ui/status.tsx';
import { ROW_LINK, Table, type Column } from '../ui/table.tsx';

/** The channels of the session with their health; a single one needs no list. */
export function PortalChannels() {
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
