// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import type { Blockchain } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, reasonFor, TextField, isPlaced } from '../../ui/field.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { tell } from '../../ui/toast.tsx';
import { EndpointList } from './endpoint-list.tsx';
import { nodesQuery, type Node } from '../../api/chain-queries.ts';
import { Badge, Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';

/** Which nodes the chain is read from, and how they are. Whole URLs are never shown: they may hold a password. */
export function NodePanel({ chain }: { readonly chain: Blockchain }) {
  const may = useMay();
  return (
    <Panel title="Nodes">
      {chain.is_active && may('api:blockchain:write') && (
        <div className="mb-3 border-b border-line pb-3">
          <NodeList chainGid={chain.gid} />
        </div>
      )}
      <p className="text-[13px] text-soft">
        {chain.has_endpoint
          ? 'Saved, encrypted and masked.'
          : 'No node saved here. The configuration of the services may name nodes.'}
      </p>
      {may('api:blockchain:write') && <EndpointForm chain={chain} />}
      {chain.has_endpoint && may('api:blockchain:write') && (
        <div className="mt-4 flex flex-col gap-3 border-t border-line pt-3">
          <EndpointList chainGid={chain.gid} />
          <AddNodeForm chainGid={chain.gid} />
        </div>
      )}
    </Panel>
  );
}

function EndpointForm({ chain: { gid, family, has_endpoint } }: { readonly chain: Blockchain }) {
  const client = useQueryClient();
  const [url, setUrl] = useState('');
  const [isChecked, setChecked] = useState(true);
  const saving = useMutation({
    mutationFn: () =>
      bodyOf(
        // Each family has an operation of its own, with this member in all of them.
        api.PATCH(`/blockchains/{chain_gid}/${family}`, {
          params: { path: { chain_gid: gid }, query: { verify: isChecked } },
          body: { endpoint_url: url.trim() },
        }),
      ),
    onSuccess: async () => {
      setUrl('');
      tell(isChecked ? 'Chain ID verified. Node saved.' : 'Node saved');
      await client.invalidateQueries({ queryKey: ['chains'] });
    },
  });
  const reason = reasonFor(saving.error, 'endpoint_url');
  return (
    <form
      className="mt-3 flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <TextField
        label={has_endpoint ? 'Replacement URL' : 'URL'}
        required
        placeholder="https://node.example.com:8545"
        className="font-mono"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
        error={reason}
      />
      <Checkbox
        label="Verify chain ID first"
        checked={isChecked}
        onChange={(event) => setChecked(event.target.checked)}
      />
      {saving.error && reason === undefined && <Problem error={saving.error} />}
      <Button type="submit" className="self-start" isBusy={saving.isPending}>
        Save node
      </Button>
    </form>
  );
}

/** How the nodes are that a chain is read from. */
function NodeList({ chainGid }: { readonly chainGid: string }) {
  const query = useQuery(nodesQuery(chainGid));
  if (query.error) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  if (query.isPending) return <Waiting rows={2} />;
  const { items, reported_at: reportedAt } = query.data;
  if (reportedAt === null)
    return (
      <p className="text-[13px] text-soft">Node health unknown: the ingestor has not reported for 30 s.</p>
    );
  if (items.length === 0) return <p className="text-[13px] text-warn">No node in use.</p>;
  return (
    <ul aria-label="Nodes" className="flex flex-col gap-3">
      {items.map((node, index) => (
        <NodeLine key={`${node.url} ${index}`} node={node} />
      ))}
    </ul>
  );
}

function NodeLine({ node }: { readonly node: Node }) {
  return (
    <li className="flex flex-col gap-1 text-[13px]">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <code className="min-w-0 font-mono break-all">{node.url}</code>
        <Status of={node.status} />
        {node.is_in_use && <Badge tone="info">In use</Badge>}
      </div>
      <p className="flex flex-wrap gap-x-3 text-soft tabular-nums">
        {node.head_number !== null && <span>Head {node.head_number.toLocaleString()}</span>}
        {node.latency_ms !== null && <span>in {Math.round(node.latency_ms).toLocaleString()} ms</span>}
        {node.last_success_at !== null && (
          <span>
            answered <Time at={node.last_success_at} />
          </span>
        )}
      </p>
      <HealthStrip history={node.history} />
      {node.last_error_at !== null && (
        <p className="break-words text-warn">
          Failed <Time at={node.last_error_at} />: {node.last_error}
        </p>
      )}
    </li>
  );
}

type History = Node['history'];

const FILLS = { good: 'fill-ok-dot', mixed: 'fill-warn-dot', bad: 'fill-bad-dot', none: 'fill-line' };
const [WIDTH, HEIGHT] = [4, 16];

/** How a node was over the last 24 hours, a quarter of an hour each; nothing before there is a report. */
function HealthStrip({ history }: { readonly history: History }) {
  if (history.length === 0) return null;
  const quarters = fillQuarters(history, Date.now());
  const label = `Last 24 hours: ${sayHealth(history)}`;
  return (
    <figure className="flex flex-col gap-0.5">
      <svg
        viewBox={`0 0 ${quarters.length * WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        className="h-4 w-full"
      >
        {quarters.map(({ at, state }, index) => (
          <rect key={at} x={index * WIDTH} width={WIDTH - 1} height={HEIGHT} className={FILLS[state]} />
        ))}
      </svg>
      <figcaption className="text-xs text-faint">{label}</figcaption>
    </figure>
  );
}

interface Quarter {
  readonly at: number;
  readonly state: 'good' | 'mixed' | 'bad' | 'none';
}

const QUARTER_MS = 15 * 60_000;
const QUARTERS = 96;

/** The last 24 hours without gaps, oldest first: a quarter of an hour without a report is `none`. */
export function fillQuarters(history: History, nowMs: number): Quarter[] {
  const states = new Map(history.map((quarter) => [toQuarter(Date.parse(quarter.at)), stateOf(quarter)]));
  const last = toQuarter(nowMs);
  return Array.from({ length: QUARTERS }, (_, index) => {
    const at = last - (QUARTERS - 1 - index) * QUARTER_MS;
    return { at, state: states.get(at) ?? 'none' };
  });
}

const toQuarter = (ms: number): number => ms - (ms % QUARTER_MS);

function stateOf({ samples, failures }: History[number]): Quarter['state'] {
  if (failures === 0) return 'good';
  return failures === samples ? 'bad' : 'mixed';
}

/** `serving 99.8 % of the time, 42 ms on average` */
export function sayHealth(history: History): string {
  const sum = (count: (quarter: History[number]) => number): number =>
    history.reduce((total, quarter) => total + count(quarter), 0);
  const samples = sum((quarter) => quarter.samples);
  // Never rounded up to all.
  const share = Math.floor(((samples - sum(({ failures }) => failures)) / samples) * 1_000) / 10;
  const timed = history.filter(({ latency_ms: ms }) => ms !== null);
  const mean = timed.reduce((total, { latency_ms: ms }) => total + ms!, 0) / timed.length;
  const latency = timed.length === 0 ? '' : `, ${Math.round(mean).toLocaleString('en')} ms on average`;
  return `serving ${share} % of the time${latency}`;
}

/** Adds a node beside the first one: the chain goes on when one of them fails. */
function AddNodeForm({ chainGid }: { readonly chainGid: string }) {
  const client = useQueryClient();
  const [url, setUrl] = useState('');
  const [weight, setWeight] = useState('1');
  const [isChecked, setChecked] = useState(true);
  const adding = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/blockchains/{chain_gid}/endpoints', {
          params: { path: { chain_gid: chainGid }, query: { verify: isChecked } },
          body: { endpoint_url: url.trim(), weight: Number(weight) },
        }),
      ),
    onSuccess: async () => {
      setUrl('');
      setWeight('1');
      tell(isChecked ? 'Chain ID verified. Node added.' : 'Node added');
      await client.invalidateQueries({ queryKey: ['chains'] });
    },
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        adding.mutate();
      }}
    >
      <TextField
        label="Further node"
        required
        placeholder="https://user:password@node-2.example.com:8545"
        hint="A node of another operator keeps the chain running when the first one fails."
        className="font-mono"
        value={url}
        onChange={({ target }) => setUrl(target.value)}
        error={reasonFor(adding.error, 'endpoint_url')}
      />
      <TextField
        label="Weight of the node"
        type="number"
        required
        min={1}
        max={1_000}
        hint="Share of RPC gateway calls. Services try the highest weight first."
        value={weight}
        onChange={({ target }) => setWeight(target.value)}
        error={reasonFor(adding.error, 'weight')}
      />
      <Checkbox
        label="Test the node first"
        hint="The node must respond and serve this chain."
        checked={isChecked}
        onChange={({ target }) => setChecked(target.checked)}
      />
      {adding.error && !isPlaced(adding.error, ['endpoint_url', 'weight']) && (
        <Problem error={adding.error} />
      )}
      <Button type="submit" className="self-start" isBusy={adding.isPending}>
        Add node
      </Button>
    </form>
  );
}
