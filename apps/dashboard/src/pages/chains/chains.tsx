import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Blocks, Plus } from 'lucide-react';
import { useState } from 'react';
import { chainsQuery, type Blockchain } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Problem, Waiting } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Badge, Status } from '../../ui/status.tsx';
import { AddChainDialog } from './add-chain-dialog.tsx';
import { ChainActions } from './chain-actions.tsx';
import { SyncFigures } from './sync-figures.tsx';

export function ChainsPage() {
  const query = useQuery(chainsQuery);
  const sorted = query.data?.items.toSorted((one, other) => Number(other.is_active) - Number(one.is_active));
  const [isAdding, setAdding] = useState(false);
  const add = useMay()('api:blockchain:write') && (
    <Button look="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => setAdding(true)}>
      Add chain
    </Button>
  );
  return (
    <Page title="Chains" actions={sorted && sorted.length > 0 && add}>
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Waiting rows={8} />}
      {sorted?.length === 0 && (
        <Panel>
          <Empty icon={<Blocks />} title="No chain yet" action={add}>
            The operator adds chains and names a node for each; addresses are watched on every active chain of
            their family.
          </Empty>
        </Panel>
      )}
      <ul className="grid gap-4 md:grid-cols-2 2xl:grid-cols-3">
        {sorted?.map((chain) => (
          <li key={chain.gid}>
            <ChainCard chain={chain} />
          </li>
        ))}
      </ul>
      {isAdding && <AddChainDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

function ChainCard({ chain }: { readonly chain: Blockchain }) {
  const { sync } = chain;
  return (
    <section className="flex h-full flex-col rounded-xl border border-line bg-panel shadow-panel">
      <header className="flex flex-wrap items-start justify-between gap-2 border-b border-line px-4 py-3">
        <div className="min-w-0">
          <h2 className="font-medium capitalize">
            <Link to="/chains/$gid" params={{ gid: chain.gid }} className="hover:text-accent-ink">
              {chain.name}
            </Link>
          </h2>
          <p className="truncate font-mono text-xs text-faint" title={chain.gid}>
            {chain.gid}
          </p>
        </div>
        {sync ? <Status of={sync.status} /> : <Badge>Not active</Badge>}
      </header>
      <div className="flex flex-1 flex-col gap-3 px-4 py-3 text-[13px]">
        {sync ? (
          <SyncFigures sync={sync} />
        ) : (
          <p className="text-soft">
            {chain.has_endpoint ? 'Its node is set: it can be activated.' : 'It has no node yet.'}
          </p>
        )}
        <ChainActions chain={chain} />
      </div>
    </section>
  );
}
