// SPDX-License-Identifier: Apache-2.0
import { useQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { chainQuery, countingBlocksQuery, reorgedBlocksQuery } from '../../api/chain-queries.ts';
import { useMay } from '../../api/session.ts';
import { ChainLogo } from '../../ui/chain-name.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Badge, Status } from '../../ui/status.tsx';
import { ChainActions } from './chain-actions.tsx';
import { IncidentsPanel } from './incidents-panel.tsx';
import { NodePanel } from './node-panel.tsx';
import { PolicyPanel } from './policy-panel.tsx';
import { SyncFigures } from './sync-figures.tsx';
import type { components } from '@chainwatch/sdk';
import { Time } from '../../ui/time.tsx';
import { listReorgs, type Reorg } from './list-reorgs.ts';
import { ReorgDrawing } from './reorg-drawing.tsx';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import type { Blockchain } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { tell } from '../../ui/toast.tsx';

export function ChainPage() {
  const { gid } = useParams({ from: '/shell/chains/$gid' });
  const query = useQuery(chainQuery(gid));
  const may = useMay();
  if (query.isPending) return <Waiting rows={10} />;
  if (query.error)
    return (
      <Page title="Chain">
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      </Page>
    );
  const chain = query.data;
  return (
    <Page
      eyebrow={
        <>
          <Link to="/chains" className="hover:text-ink">
            Chains
          </Link>{' '}
          / <span className="font-mono break-all">{chain.gid}</span>
        </>
      }
      title={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <ChainLogo chain={chain} isLarge />
          {chain.display_name}
          {chain.sync ? <Status of={chain.sync.status} /> : <Badge>Not active</Badge>}
        </span>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="flex min-w-0 flex-col gap-5">
          {may('api:block:read') && <ReorgsPanel chainGid={chain.gid} />}
          <IncidentsPanel chainGid={chain.gid} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <Panel title="Progress">
            <div className="flex flex-col gap-3 text-[13px]">
              {chain.sync ? <SyncFigures sync={chain.sync} /> : <p className="text-soft">Not monitored</p>}
              <ChainActions chain={chain} />
            </div>
          </Panel>
          {may('api:confirmation_policy:read') && <PolicyPanel chainGid={chain.gid} />}
          <NodePanel chain={chain} />
          <UnprovedPanel chain={chain} />
          <UpgradesPanel chain={chain} />
        </div>
      </div>
    </Page>
  );
}

type Chain = components['schemas']['BlockchainDetails'];
type Upgrade = Chain['upgrades'][number];

const STATES: Readonly<Record<Upgrade['state'], string>> = {
  ready: 'Supported',
  generated: 'Supported',
  not: 'Not supported',
};

/** Upgrades that are to come, and the last ones that are active; nothing where none is known. */
function UpgradesPanel({ chain }: { readonly chain: Chain }) {
  const now = { nowMs: Date.now(), headNumber: chain.sync?.head_number ?? null };
  const [coming, recent] = [listComing(chain.upgrades, now), listRecent(chain.upgrades, now)];
  if (coming.length + recent.length === 0) return null;
  return (
    <Panel title="Upgrades">
      <div className="flex flex-col gap-4">
        {coming.length > 0 && <UpgradeList title="Next" upgrades={coming} />}
        {recent.length > 0 && <UpgradeList title="Recent" upgrades={recent} />}
      </div>
    </Panel>
  );
}

interface Now {
  readonly nowMs: number;
  readonly headNumber: number | null;
}

/** Upgrades that are not active yet: their date is ahead, their height is, or nobody has announced either. */
export function listComing(upgrades: readonly Upgrade[], now: Now): Upgrade[] {
  return upgrades.filter((upgrade) => isComing(upgrade, now));
}

const RECENT = 3;

/** The last ones that are active, the newest first. */
export function listRecent(upgrades: readonly Upgrade[], now: Now): Upgrade[] {
  return upgrades
    .filter((upgrade) => !isComing(upgrade, now))
    .toSorted((one, other) => timeOf(other) - timeOf(one) || (other.height ?? 0) - (one.height ?? 0))
    .slice(0, RECENT);
}

function isComing({ date, height }: Upgrade, { nowMs, headNumber }: Now): boolean {
  if (date !== null) return Date.parse(date) > nowMs;
  return height === null || headNumber === null || headNumber < height;
}

function timeOf({ date }: Upgrade): number {
  return date === null ? 0 : Date.parse(date);
}

interface UpgradeListProps {
  readonly title: string;
  readonly upgrades: readonly Upgrade[];
}

function UpgradeList({ title, upgrades }: UpgradeListProps) {
  return (
    <div>
      <h3 className="mb-1.5 text-xs text-faint">{title}</h3>
      <ul aria-label={`${title} upgrades`} className="flex flex-col gap-3 text-[13px]">
        {upgrades.map((upgrade) => (
          <li key={upgrade.name} className="flex flex-col gap-0.5">
            <span className="flex flex-wrap items-center gap-2">
              <span className="font-medium">{upgrade.name}</span>
              <Badge>{STATES[upgrade.state]}</Badge>
            </span>
            <span className="text-xs text-soft tabular-nums">
              <When of={upgrade} />
            </span>
            {upgrade.reason !== null && <span className="break-words text-warn">{upgrade.reason}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function When({ of: { date, height } }: { readonly of: Upgrade }) {
  if (date !== null) return <Time at={date} isLong />;
  return height === null ? 'No date announced' : `At block ${height.toLocaleString()}`;
}

const SHOWN = 5;
/** Of heights: where a reorg begins says most. */
const DRAWN_HEIGHTS = 24;

/** What the chain gave up lately. */
function ReorgsPanel({ chainGid }: { readonly chainGid: string }) {
  const query = useQuery(reorgedBlocksQuery(chainGid));
  const reorgs = listReorgs(query.data?.items ?? []);
  return (
    <Panel title="Reorgs" isFlush>
      {query.error ? (
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Waiting rows={3} />
      ) : reorgs.length === 0 ? (
        <p className="px-4 py-3 text-[13px] text-soft">
          No reorgs recorded. Payments in replaced blocks are sent as{' '}
          <code className="font-mono">transaction.reorged</code>.
        </p>
      ) : (
        <ul aria-label="Reorgs" className="divide-y divide-line">
          {reorgs.slice(0, SHOWN).map((reorg) => (
            <ReorgLine key={reorg.from} chainGid={chainGid} reorg={cut(reorg)} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** The beginning of what is too long to be drawn. */
function cut({ from, to, branches }: Reorg): Reorg {
  const last = Math.min(to, from + DRAWN_HEIGHTS);
  return {
    from,
    to: last,
    branches: branches
      .map((branch) => branch.filter(({ number }) => number <= last))
      .filter((branch) => branch.length > 0),
  };
}

function ReorgLine({ chainGid, reorg }: { readonly chainGid: string; readonly reorg: Reorg }) {
  const { from, to, branches } = reorg;
  const query = useQuery(countingBlocksQuery(chainGid, Math.max(0, from - 1), to + 1));
  const at = branches[0]?.[0]?.timestamp;
  return (
    <li className="flex flex-col gap-2 px-4 py-3 text-[13px]">
      <p className="flex flex-wrap justify-between gap-x-4">
        <span>
          {from === to
            ? `Block ${from.toLocaleString()} left the chain`
            : `Blocks ${from.toLocaleString()} to ${to.toLocaleString()} left the chain`}
        </span>
        {at && (
          <span className="text-soft">
            <Time at={at} />
          </span>
        )}
      </p>
      {query.data && <ReorgDrawing reorg={reorg} counting={query.data.items} />}
    </li>
  );
}

type Choice = Blockchain['unproved'];

const HINTS: Readonly<Record<Choice, string>> = {
  hold: 'Final transactions without a proof wait until another node agrees, a proof arrives, or you accept the incident.',
  deliver:
    'Final transactions without a proof are confirmed as trusted, on the word of one node. The incident stays open.',
};

/** The operator's decision about transactions that cannot be proved. */
function UnprovedPanel({ chain }: { readonly chain: Blockchain }) {
  const may = useMay();
  return (
    <Panel title="Unproved transactions">
      {may('api:blockchain:write') ? (
        <UnprovedForm chain={chain} />
      ) : (
        <p className="text-[13px] text-soft">{HINTS[chain.unproved]}</p>
      )}
    </Panel>
  );
}

function UnprovedForm({ chain: { gid, family, unproved } }: { readonly chain: Blockchain }) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<Choice>();
  const choice = chosen ?? unproved;
  const saving = useMutation({
    mutationFn: () =>
      bodyOf(
        // Each family has an operation of its own, with this member in all of them.
        api.PATCH(`/blockchains/{chain_gid}/${family}`, {
          params: { path: { chain_gid: gid } },
          body: { unproved: choice },
        }),
      ),
    onSuccess: async () => {
      tell(choice === 'hold' ? 'Unproved transactions are held' : 'Unproved transactions are delivered');
      await client.invalidateQueries({ queryKey: ['chains'] });
      // Unless another choice was made meanwhile.
      setChosen((now) => (now === choice ? undefined : now));
    },
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Select
        label="After the block is final"
        value={choice}
        hint={HINTS[choice]}
        onChange={(event) => setChosen(event.target.value as Choice)}
      >
        <option value="hold">Hold</option>
        <option value="deliver">Deliver</option>
      </Select>
      {saving.error && <Problem error={saving.error} />}
      <Button type="submit" className="self-start" disabled={choice === unproved} isBusy={saving.isPending}>
        Save setting
      </Button>
    </form>
  );
}
