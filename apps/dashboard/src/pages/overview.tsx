// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bell, Send, Wallet } from 'lucide-react';
import { chainsQuery, channelsQuery, recentEventsQuery, statsQuery, type Stats } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { Empty, Problem, Waiting } from '../ui/notice.tsx';
import { Page, Panel } from '../ui/panel.tsx';
import { Tile, Tiles } from '../ui/rows.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { Activity } from './activity/activity.tsx';
import { ChainLines } from './chains/chain-lines.tsx';
import { FirstSteps } from './first-steps/first-steps.tsx';

export function OverviewPage() {
  const may = useMay();
  const isKnown = may('api:event:read');
  const stats = useQuery({ ...statsQuery, enabled: isKnown });
  return (
    <Page title="Overview">
      {!isKnown && <NoProject />}
      {stats.error && <Problem error={stats.error} onRetry={() => void stats.refetch()} />}
      {isKnown && <FirstSteps />}
      {stats.data && <Figures stats={stats.data} />}
      {isKnown && (
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[minmax(0,1fr)_26rem]">
          <div className="flex min-w-0 flex-col gap-5">
            <Activity />
            {may('api:blockchain:read') && <ChainsPanel />}
          </div>
          <div className="flex min-w-0 flex-col gap-5">
            {may('api:notification_channel:read') && <FailingChannels />}
            <RecentEvents />
          </div>
        </div>
      )}
    </Page>
  );
}

function NoProject() {
  return (
    <Panel>
      <Empty icon={<Wallet />} title="No project access">
        To see payments, sign in with the API key of a project, or with a management key that may create keys.
      </Empty>
    </Panel>
  );
}

function Figures({
  stats: { transactions, deliveries, address_count, channels },
}: {
  readonly stats: Stats;
}) {
  return (
    <Tiles>
      {transactions && (
        <Tile
          to="/transactions"
          name="Transactions"
          value={sum(transactions).toLocaleString()}
          note={`${(transactions.detected + transactions.pending).toLocaleString()} pending`}
        />
      )}
      {deliveries && (
        <Tile
          to="/channels"
          name="Deliveries"
          value={deliveries.delivered.toLocaleString()}
          note={`${deliveries.failed.toLocaleString()} failed, ${(deliveries.pending + deliveries.held).toLocaleString()} pending`}
        />
      )}
      {address_count !== null && (
        <Tile to="/addresses" name="Addresses" value={address_count.toLocaleString()} />
      )}
      {channels && (
        <Tile
          to="/channels"
          name="Channels"
          value={channels.active.toLocaleString()}
          note={
            channels.failing + channels.failed === 0
              ? 'All healthy'
              : `${channels.failing + channels.failed} failing`
          }
        />
      )}
    </Tiles>
  );
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

function ChainsPanel() {
  const query = useQuery(chainsQuery);
  const active = query.data?.items.filter(({ is_active }) => is_active) ?? [];
  return (
    <Panel title="Chains" isFlush>
      {query.error ? (
        <Problem error={query.error} />
      ) : query.isPending ? (
        <Waiting rows={4} />
      ) : active.length === 0 ? (
        <p className="px-4 py-3 text-[13px] text-soft">
          No active chains. The operator activates them under Chains.
        </p>
      ) : (
        <ChainLines chains={active} />
      )}
    </Panel>
  );
}

function FailingChannels() {
  const query = useQuery(channelsQuery);
  const failing = query.data?.items.filter(({ status }) => status === 'failing' || status === 'failed') ?? [];
  if (query.data && query.data.items.length === 0)
    return (
      <Panel>
        <Empty
          icon={<Send />}
          title="No channels yet"
          action={
            <Link to="/channels" className="font-medium text-accent-ink hover:underline">
              Add a channel
            </Link>
          }
        >
          A channel notifies your systems of payments: webhook, NATS, Slack, Telegram, and more.
        </Empty>
      </Panel>
    );
  if (failing.length === 0) return null;
  return (
    <Panel title="Failing channels" isFlush>
      <ul className="divide-y divide-line">
        {failing.map(({ id, name, status, failure_reason }) => (
          <li key={id} className="flex flex-wrap items-center gap-2 px-4 py-2.5 text-[13px]">
            <Link to="/channels/$id" params={{ id }} className="font-medium hover:text-accent-ink">
              {name}
            </Link>
            <Status of={status} />
            {failure_reason !== null && <span className="w-full text-soft">{failure_reason}</span>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function RecentEvents() {
  const query = useQuery(recentEventsQuery);
  return (
    <Panel title="Latest events" isFlush>
      {query.error ? (
        <Problem error={query.error} />
      ) : query.isPending ? (
        <Waiting rows={4} />
      ) : query.data.items.length === 0 ? (
        <Empty icon={<Bell />} title="No events yet">
          Events appear here when a monitored address sends or receives something.
        </Empty>
      ) : (
        <ul className="divide-y divide-line">
          {query.data.items.map(({ event_id, type, created_at }) => (
            <li
              key={event_id}
              className="relative flex items-center justify-between gap-3 px-4 py-2.5 text-[13px] hover:bg-hover"
            >
              <Link
                to="/events/$id"
                params={{ id: event_id }}
                className="truncate font-mono after:absolute after:inset-0"
              >
                {type}
              </Link>
              <span className="text-soft">
                <Time at={created_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
