// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { chainQuery } from '../../api/chain-queries.ts';
import { useMay } from '../../api/session.ts';
import { ChainLogo } from '../../ui/chain-name.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Badge, Status } from '../../ui/status.tsx';
import { ChainActions } from './chain-actions.tsx';
import { IncidentsPanel } from './incidents-panel.tsx';
import { NodePanel } from './node-panel.tsx';
import { PolicyPanel } from './policy-panel.tsx';
import { ReorgsPanel } from './reorgs-panel.tsx';
import { SyncFigures } from './sync-figures.tsx';
import { UnprovedPanel } from './unproved-panel.tsx';
import { UpgradesPanel } from './upgrades-panel.tsx';

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
