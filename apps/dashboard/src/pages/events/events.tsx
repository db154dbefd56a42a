// SPDX-License-Identifier: Apache-2.0
import { EVENT_TITLES } from '@chainwatch/sdk/catalogue';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Bell } from 'lucide-react';
import { exportEvents } from '../../api/exports.ts';
import { eventsQuery, rowsOf, type EventItem } from '../../api/queries.ts';
import { withoutEmpty, type EventSearch } from '../../app/search-params.ts';
import { ChainName } from '../../ui/chain-name.tsx';
import { ChoiceChip, ClearButton, orNone } from '../../ui/chips.tsx';
import { DayChips } from '../../ui/day-chips.tsx';
import { ExportMenu } from '../../ui/export-menu.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { Empty, Problem } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { ROW_LINK, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ChainChip } from '../chains/chain-chip.tsx';

export function EventsPage() {
  const search = useSearch({ from: '/shell/events' });
  const query = useInfiniteQuery({ ...eventsQuery(search), placeholderData: keepPreviousData });
  const { rows: items, total } = rowsOf(query.data?.pages);
  const rows = items.map((event) => ({ ...event, id: event.event_id }));
  return (
    <Page
      title="Events"
      eyebrow={query.data ? `${total.toLocaleString()} stored` : undefined}
      actions={total > 0 && <ExportMenu name="events" read={(type) => exportEvents(search, type)} />}
    >
      <Filters search={search} />
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <Panel isFlush>
        <LoadedTable
          label="Events"
          query={query}
          rows={rows}
          columns={COLUMNS}
          waitingRows={10}
          empty={
            <Empty icon={<Bell />} title="No events">
              {Object.keys(search).length > 0
                ? 'Remove a filter.'
                : 'Events appear here when a monitored address sends or receives something. They are kept for 30 days by default.'}
            </Empty>
          }
        />
      </Panel>
    </Page>
  );
}

const COLUMNS: readonly Column<EventItem>[] = [
  {
    name: 'Event',
    width: 'minmax(13rem, 1fr)',
    cell: ({ event_id, type }) => (
      <Link to="/events/$id" params={{ id: event_id }} className={`${ROW_LINK} truncate font-mono`}>
        {type}
      </Link>
    ),
  },
  {
    name: 'Summary',
    width: 'minmax(11rem, 1fr)',
    cell: ({ type }) => <span className="truncate text-soft">{EVENT_TITLES[type]}</span>,
  },
  {
    name: 'Chain',
    width: 'minmax(7rem, 0.7fr)',
    cell: (event) => <EventChain event={event} />,
  },
  {
    name: 'Position',
    width: '7rem',
    isRight: true,
    cell: ({ position }) => <span className="text-soft tabular-nums">{position ?? '–'}</span>,
  },
  { name: 'Created', width: '7rem', isRight: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

function EventChain({ event: { data } }: { readonly event: EventItem }) {
  const gid =
    'transaction' in data ? data.transaction.chain_gid : 'chain_gid' in data ? data.chain_gid : undefined;
  return gid === undefined ? <span className="text-faint">–</span> : <ChainName gid={gid} />;
}

function Filters({ search }: { readonly search: EventSearch }) {
  const navigate = useNavigate({ from: '/events' });
  const set = (change: EventSearch): void =>
    void navigate({ search: withoutEmpty({ ...search, ...change }), replace: true });
  return (
    <div role="group" aria-label="Filters" className="flex flex-wrap items-center gap-2">
      <ChoiceChip
        name="Type"
        options={Object.entries(EVENT_TITLES).map(([value, title]) => ({ value, title }))}
        chosen={search.types ?? []}
        onChange={(types) => set({ types: orNone(types) })}
      />
      <ChainChip chosen={search.chains} onChange={(chains) => set({ chains })} />
      <DayChips since={search.since} until={search.until} onChange={set} />
      {Object.keys(search).length > 0 && (
        <ClearButton onClear={() => void navigate({ search: {}, replace: true })} />
      )}
    </div>
  );
}
