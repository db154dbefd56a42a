// SPDX-License-Identifier: Apache-2.0
import { useQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Blocks, Plus } from 'lucide-react';
import { useState } from 'react';
import { chainsQuery, type Blockchain } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { ChainLogo } from '../../ui/chain-name.tsx';
import { Empty, Problem, Waiting } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Badge, Status } from '../../ui/status.tsx';
import { ChainActions } from './chain-actions.tsx';
import { SyncFigures } from './sync-figures.tsx';
import { networksQuery } from '../../api/chain-queries.ts';
import { api, bodyOf } from '../../api/client.ts';
import { reasonFor, Select } from '../../ui/field.tsx';
import { FormModal } from '../../ui/form-modal.tsx';
import { toTitle } from '../addresses/families.ts';

export function ChainsPage() {
  const query = useQuery(chainsQuery);
  const sorted = query.data?.items.toSorted((one, other) => Number(other.is_active) - Number(one.is_active));
  const [isAdding, setAdding] = useState(false);
  const [text, setText] = useState('');
  const shown = sorted?.filter((chain) => isCalled(chain, text));
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
          <Empty icon={<Blocks />} title="No chains yet" action={add} docs="guides/nodes">
            The operator adds chains and a node for each. Addresses are monitored on every active chain of
            their family.
          </Empty>
        </Panel>
      )}
      {sorted && sorted.length > 0 && (
        <input
          type="search"
          aria-label="Search chains"
          placeholder="Name, symbol, or CAIP-2 ID"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="h-9 w-full max-w-sm rounded-md border border-line-strong bg-panel px-3 placeholder:text-faint"
        />
      )}
      {shown?.length === 0 && text !== '' && (
        <p role="status" className="text-[13px] text-soft">
          No chains match “{text}”. Add the chain if it is missing.
        </p>
      )}
      <ul className="grid gap-4 md:grid-cols-2 2xl:grid-cols-3">
        {shown?.map((chain) => (
          <li key={chain.gid}>
            <ChainCard chain={chain} />
          </li>
        ))}
      </ul>
      {isAdding && <AddChainDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

/** By its names, its CAIP-2 id, or its family. */
function isCalled({ display_name, name, short_name, gid, family }: Blockchain, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return [display_name, name, short_name, gid, family].some((each) => each.toLowerCase().includes(wanted));
}

function ChainCard({ chain }: { readonly chain: Blockchain }) {
  const { sync } = chain;
  return (
    <section className="flex h-full flex-col rounded-xl border border-line bg-panel shadow-panel">
      <header className="flex flex-wrap items-start justify-between gap-2 border-b border-line px-4 py-3">
        <div className="min-w-0">
          <h2 className="flex items-center gap-2 font-medium">
            <ChainLogo chain={chain} isLarge />
            <Link to="/chains/$gid" params={{ gid: chain.gid }} className="hover:text-accent-ink">
              {chain.display_name}
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
          <p className="text-soft">{chain.has_endpoint ? 'Ready to activate' : 'No node configured'}</p>
        )}
        <ChainActions chain={chain} />
      </div>
    </section>
  );
}

/** Every network that the service knows and has no chain of, those that an operator added too. */
function AddChainDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const networks = useQuery(networksQuery);
  const [chosen, setChosen] = useState('');
  const adding = useMutation({
    mutationFn: () => bodyOf(api.POST('/blockchains', { body: { chain_gid: chosen } })),
    onSuccess: async ({ gid }) => {
      await client.invalidateQueries({ queryKey: ['chains'] });
      await client.invalidateQueries({ queryKey: networksQuery.queryKey });
      await navigate({ to: '/chains/$gid', params: { gid } });
    },
  });
  const reason = reasonFor(adding.error, 'chain_gid');
  const free = networks.data?.items.filter((network) => !network.is_used) ?? [];
  const families = [...Map.groupBy(free, ({ family }) => family)];
  return (
    <FormModal
      title="Add a chain"
      onClose={onClose}
      action="Add chain"
      sending={adding}
      reasons={[reason]}
      isDisabled={chosen === ''}
    >
      {networks.isPending && <Waiting rows={1} />}
      {networks.error && <Problem error={networks.error} onRetry={() => void networks.refetch()} />}
      {networks.data && (
        <Select
          label="Chain"
          required
          autoFocus
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
          error={reason}
          hint="You add a node next. To add a network that is not listed, use `chainwatch networks set`."
        >
          <option value="">Choose one</option>
          {families.map(([family, members]) => (
            <optgroup key={family} label={toTitle(family)}>
              {members.map(({ gid, display_name: name }) => (
                <option key={gid} value={gid}>
                  {name} ({gid})
                </option>
              ))}
            </optgroup>
          ))}
        </Select>
      )}
    </FormModal>
  );
}
