// SPDX-License-Identifier: Apache-2.0
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Waypoints } from 'lucide-react';
import { useState } from 'react';
import { networksQuery, usageQuery, type Network, type UsageRow } from '../../api/gateway-queries.ts';
import { keysQuery } from '../../api/management-queries.ts';
import { sessionQuery } from '../../api/session.ts';
import { ChoiceChip } from '../../ui/chips.tsx';
import { Empty, Problem, Waiting } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Tile, Tiles } from '../../ui/rows.tsx';
import { sayMean, sayP95, sayShare, sumUsage, type UsageSum } from './sum-usage.ts';
import { TryCall } from './try-call.tsx';
import { ChainName } from '../../ui/chain-name.tsx';
import { Status } from '../../ui/status.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Bars } from '../../ui/bars.tsx';
import { useNow } from '../../ui/time.tsx';

const SPANS = [
  { value: '24', title: '24 hours' },
  { value: '168', title: '7 days' },
  { value: '720', title: '30 days' },
];

/** What the RPC keys call, and what the gateway answers. */
export function GatewayPage() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const networks = useQuery(networksQuery(session.rpc_url));
  const [hours, setHours] = useState('24');
  return (
    <Page
      title="RPC gateway"
      eyebrow={session.rpc_url ?? undefined}
      actions={
        <ChoiceChip
          name="Last"
          isSingle
          options={SPANS}
          chosen={[hours]}
          onChange={([chosen]) => setHours(chosen ?? hours)}
        />
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[minmax(0,1fr)_26rem]">
        <UsagePanels hours={Number(hours)} />
        <div className="flex min-w-0 flex-col gap-5">
          {session.rpc_url === null ? (
            <Panel title="Try a call">
              <p className="text-[13px] text-soft">
                The operator names the gateway's address in <code className="font-mono">RPC_URL</code>, and
                lets this page call it by <code className="font-mono">CORS_ORIGINS</code>.
              </p>
            </Panel>
          ) : (
            <>
              {networks.error && <Problem error={networks.error} onRetry={() => void networks.refetch()} />}
              {networks.data && <TryCall rpcUrl={session.rpc_url} networks={networks.data} />}
              {networks.data && <Networks networks={networks.data} />}
            </>
          )}
        </div>
      </div>
    </Page>
  );
}

function UsagePanels({ hours }: { readonly hours: number }) {
  const query = useQuery(usageQuery(hours));
  const keys = useQuery(keysQuery());
  if (query.error) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  if (query.isPending) return <Waiting rows={8} />;
  const { rows, isWhole } = query.data;
  if (rows.length === 0)
    return (
      <Panel>
        <Empty icon={<Waypoints />} title="No calls" docs="guides/rpc-gateway">
          Create an RPC gateway key under Keys and call a node with it. Calls are counted within a minute.
        </Empty>
      </Panel>
    );
  const [total] = sumUsage(rows, () => 'all');
  const nameOf = (id: string): string => keys.data?.items.find((key) => key.id === id)?.name ?? id;
  return (
    <div className="flex min-w-0 flex-col gap-5">
      {!isWhole && (
        <p className="rounded-md bg-warn-wash px-3 py-2 text-[13px] text-warn">
          Too many calls to show at once. The figures start at {new Date(rows.at(-1)!.hour).toLocaleString()}.
          Choose a shorter period.
        </p>
      )}
      <Tiles>
        <Tile
          name="Calls"
          value={total!.requests.toLocaleString()}
          note={`${sayBytes(total!.bytesOut)} sent`}
        />
        <Tile
          name="Cached"
          value={sayShare(total!.cached, total!.requests)}
          note={`${total!.cached.toLocaleString()} calls`}
        />
        <Tile
          name="Failures"
          value={sayShare(total!.failures, total!.requests)}
          note={`${total!.failures.toLocaleString()} calls`}
        />
        <Tile name="Mean latency" value={sayMean(total!)} note={`p95 ${sayP95(total!)}`} />
      </Tiles>
      <UsageHours rows={rows} hours={hours} />
      <UsageTable title="By method" sums={sumUsage(rows, ({ method }) => method)} />
      <UsageTable title="By key" sums={sumUsage(rows, ({ key_id }) => nameOf(key_id))} />
    </div>
  );
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

function sayBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1_024 ** power).toLocaleString('en', { maximumFractionDigits: 1 })} ${UNITS[power]}`;
}

/** Whether the gateway's nodes of each chain serve. */
function Networks({ networks }: { readonly networks: readonly Network[] }) {
  const shown = networks.filter(({ status }) => status !== 'not_configured');
  return (
    <Panel title="Networks" isFlush>
      {shown.length === 0 ? (
        <p className="px-4 py-3 text-[13px] text-soft">No chain has a node. Add one under Chains.</p>
      ) : (
        <ul aria-label="Networks" className="divide-y divide-line">
          {shown.map(({ chain_gid, display_name, status, head_number }) => (
            <li key={chain_gid} className="flex flex-wrap items-center gap-x-3 px-4 py-2.5 text-[13px]">
              <ChainName gid={chain_gid} name={display_name} className="font-medium" />
              <Status of={status} />
              <span className="ml-auto text-soft tabular-nums">{head_number?.toLocaleString() ?? '–'}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

interface UsageTableProps {
  readonly title: string;
  readonly sums: readonly UsageSum[];
}

function UsageTable({ title, sums }: UsageTableProps) {
  return (
    <Panel title={title} isFlush>
      <Table
        label={`Calls ${title.toLowerCase()}`}
        columns={COLUMNS}
        rows={sums}
        keyOf={({ name }) => name}
      />
    </Panel>
  );
}

const COLUMNS: readonly Column<UsageSum>[] = [
  {
    name: 'Name',
    width: 'minmax(9rem, 1fr)',
    cell: ({ name }) => <span className="truncate font-medium">{name}</span>,
  },
  { name: 'Calls', width: '5rem', isRight: true, cell: ({ requests }) => requests.toLocaleString() },
  {
    name: 'Cached',
    width: '6.5rem',
    isRight: true,
    cell: ({ cached, requests }) => sayShare(cached, requests),
  },
  {
    name: 'Failures',
    width: '4.5rem',
    isRight: true,
    cell: ({ failures, requests }) => sayShare(failures, requests),
  },
  { name: 'Mean latency', width: '5.5rem', isRight: true, cell: sayMean },
  { name: 'p95', width: '6rem', isRight: true, cell: sayP95 },
];

const HOUR_MS = 3_600_000;
const BARS_MAX = 120;

interface UsageHoursProps {
  readonly rows: readonly UsageRow[];
  readonly hours: number;
}

/** A bar for each hour, or for several where there are many. */
function UsageHours({ rows, hours }: UsageHoursProps) {
  const spanMs = Math.ceil(hours / BARS_MAX) * HOUR_MS;
  const last = Math.floor(useNow() / spanMs) * spanMs;
  const count = Math.ceil((hours * HOUR_MS) / spanMs);
  const sums = new Map(
    sumUsage(rows, ({ hour }) => String(Math.floor(Date.parse(hour) / spanMs) * spanMs)).map((sum) => [
      Number(sum.name),
      sum,
    ]),
  );
  const bars = Array.from({ length: count }, (_, index) => {
    const at = last - (count - 1 - index) * spanMs;
    const { requests = 0, cached = 0 } = sums.get(at) ?? {};
    return {
      at,
      count: requests,
      part: cached,
      title: `${new Date(at).toLocaleString()}: ${requests.toLocaleString()}, ${cached.toLocaleString()} cached`,
    };
  });
  const total = bars.reduce((sum, bar) => sum + bar.count, 0);
  return (
    <Panel title="Calls over time" aside={<span className="text-xs text-faint">green: cached</span>}>
      <Bars
        label={`${total.toLocaleString()} ${total === 1 ? 'call' : 'calls'} in ${hours} hours`}
        bars={bars}
      />
    </Panel>
  );
}
