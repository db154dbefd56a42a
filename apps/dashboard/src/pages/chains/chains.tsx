import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Blocks } from 'lucide-react';
import { api, bodyOf } from '../../api/client.ts';
import { chainsQuery, type Blockchain } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Empty, Problem, Waiting } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Badge, Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { tell } from '../../ui/toast.tsx';
import { sayLag } from './chain-lines.tsx';

export function ChainsPage() {
  const query = useQuery(chainsQuery);
  const sorted = query.data?.items.toSorted((one, other) => Number(other.is_active) - Number(one.is_active));
  return (
    <Page title="Chains">
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Waiting rows={8} />}
      {sorted?.length === 0 && (
        <Panel>
          <Empty icon={<Blocks />} title="No chain yet">
            The operator adds chains with POST /blockchains; addresses are watched on every active chain of
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
    </Page>
  );
}

function ChainCard({ chain }: { readonly chain: Blockchain }) {
  const { sync } = chain;
  return (
    <section className="flex h-full flex-col rounded-xl border border-line bg-panel shadow-panel">
      <header className="flex flex-wrap items-start justify-between gap-2 border-b border-line px-4 py-3">
        <div className="min-w-0">
          <h2 className="font-medium capitalize">{chain.name}</h2>
          <p className="truncate font-mono text-xs text-faint" title={chain.gid}>
            {chain.gid}
          </p>
        </div>
        {sync ? <Status of={sync.status} /> : <Badge>Not active</Badge>}
      </header>
      <div className="flex flex-1 flex-col gap-3 px-4 py-3 text-[13px]">
        {sync ? (
          <dl className="grid grid-cols-2 gap-x-4 gap-y-2 tabular-nums">
            <Figure name="Head of the node" value={sync.node_head_number} />
            <Figure name="Processed" value={sync.processed_number} note={sayLag(sync.lag_blocks)} />
            <Figure name="Final" value={sync.finalized_number} />
            <div>
              <dt className="text-faint">Last report</dt>
              <dd>
                <Time at={sync.updated_at} />
              </dd>
            </div>
          </dl>
        ) : (
          <p className="text-soft">
            {chain.has_endpoint ? 'Its node is set: it can be activated.' : 'It has no node yet.'}
          </p>
        )}
        {sync?.reason && <p className="rounded-md bg-warn-wash px-2.5 py-1.5 text-warn">{sync.reason}</p>}
        {sync !== null && sync.incident_count > 0 && (
          <p className="text-warn">{sync.incident_count} open incidents</p>
        )}
        <ChainActions chain={chain} />
      </div>
    </section>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: number | null;
  readonly note?: string;
}

function Figure({ name, value, note }: FigureProps) {
  return (
    <div>
      <dt className="text-faint">{name}</dt>
      <dd className="font-medium">{value?.toLocaleString() ?? '–'}</dd>
      {note !== undefined && <dd className="text-xs text-faint">{note}</dd>}
    </div>
  );
}

function ChainActions({ chain }: { readonly chain: Blockchain }) {
  const may = useMay();
  const client = useQueryClient();
  const path = { chain_gid: chain.gid };
  const switching = useMutation({
    mutationFn: () =>
      chain.is_active
        ? bodyOf(api.POST('/blockchains/{chain_gid}/actions/deactivate', { params: { path } }))
        : bodyOf(api.POST('/blockchains/{chain_gid}/actions/activate', { params: { path }, body: {} })),
    onSuccess: () =>
      tell(chain.is_active ? `${chain.name} is no longer followed` : `${chain.name} is followed`),
    onSettled: () => client.invalidateQueries({ queryKey: ['chains'] }),
  });
  if (!may('api:blockchain:write') || (!chain.is_active && !chain.has_endpoint)) return null;
  return (
    <div className="mt-auto flex flex-col gap-2 pt-1">
      {switching.error && <Problem error={switching.error} />}
      {chain.is_active ? (
        <ConfirmButton
          isSmall
          look="danger"
          isBusy={switching.isPending}
          className="self-start"
          question={`Stop following ${chain.name}?`}
          consequence="Its blocks are read no more, for every project, and nobody is told of payments on it until it is activated again."
          onConfirm={() => switching.mutate()}
        >
          Deactivate
        </ConfirmButton>
      ) : (
        <Button
          isSmall
          look="primary"
          isBusy={switching.isPending}
          className="self-start"
          onClick={() => switching.mutate()}
        >
          Activate
        </Button>
      )}
    </div>
  );
}
