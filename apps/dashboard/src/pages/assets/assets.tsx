// SPDX-License-Identifier: Apache-2.0
import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Coins, Plus } from 'lucide-react';
import { useState } from 'react';
import { assetsQuery, type Asset } from '../../api/asset-queries.ts';
import { rowsOf, splitAssetGid, useSymbol } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { withoutEmpty, type AssetSearch } from '../../app/search-params.ts';
import { Button } from '../../ui/button.tsx';
import { ChainName } from '../../ui/chain-name.tsx';
import { ChoiceChip, ClearButton, orNone } from '../../ui/chips.tsx';
import { shorten } from '../../ui/copy.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { Empty, Problem } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Badge, Status, toWords } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { TextDialog } from '../../ui/text-dialog.tsx';
import { Time } from '../../ui/time.tsx';
import { ChainChip } from '../chains/chain-chip.tsx';
import { api, bodyOf } from '../../api/client.ts';
import { tell, tellProblem } from '../../ui/toast.tsx';

const STATUSES = ['active', 'unknown', 'invalid'];

export function AssetsPage() {
  const search = useSearch({ from: '/shell/assets' });
  const query = useInfiniteQuery({ ...assetsQuery(search), placeholderData: keepPreviousData });
  const { rows: assets, total } = rowsOf(query.data?.pages);
  const rows = assets.map((asset) => ({ ...asset, id: asset.gid }));
  const [isAdding, setAdding] = useState(false);
  const addToken = useAddToken();
  const may = useMay();
  const mayChange = may('api:asset:write') || may('api:token:write');
  return (
    <Page
      title="Assets"
      eyebrow={
        query.data && `${total.toLocaleString()} ${search.archived ? 'archived' : 'shown in balances'}`
      }
      actions={
        may('api:token:write') && (
          <Button
            look="primary"
            icon={<Plus aria-hidden className="size-4" />}
            onClick={() => setAdding(true)}
          >
            Add token
          </Button>
        )
      }
    >
      <Filters search={search} />
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <Panel isFlush>
        <LoadedTable
          label="Assets"
          query={query}
          rows={rows}
          columns={mayChange ? [...COLUMNS, ACTIONS] : COLUMNS}
          waitingRows={8}
          empty={
            <Empty icon={<Coins />} title={search.archived ? 'No archived assets' : 'No assets'}>
              Lists native coins of active chains and tokens that your addresses received. Archive spam to
              hide it from lists and balances.
            </Empty>
          }
        />
      </Panel>
      {isAdding && (
        <TextDialog
          title="Add a token"
          label="Asset"
          member="asset_path"
          isRequired
          action="Add token"
          hint="CAIP-19 ID, such as eip155:1/erc20:0xdac1…1ec7. Name, symbol, and decimals are read from the chain."
          save={addToken}
          onClose={() => setAdding(false)}
        />
      )}
    </Page>
  );
}

const COLUMNS: readonly Column<Asset>[] = [
  { name: 'Asset', width: 'minmax(8rem, 0.8fr)', cell: ({ gid }) => <Symbol gid={gid} /> },
  {
    name: 'Name on chain',
    width: 'minmax(13rem, 1.4fr)',
    cell: ({ gid }) => (
      <code title={gid} className="truncate font-mono text-xs text-soft">
        {shorten(splitAssetGid(gid).asset_path)}
      </code>
    ),
  },
  {
    name: 'Chain',
    width: 'minmax(7rem, 0.7fr)',
    cell: ({ gid }) => <ChainName gid={splitAssetGid(gid).chain_gid} />,
  },
  {
    name: 'Status',
    width: '8rem',
    cell: ({ status, archived_at }) =>
      archived_at === null ? <Status of={status} /> : <Badge>Archived</Badge>,
  },
  { name: 'Since', width: '6rem', isRight: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

const ACTIONS: Column<Asset> = {
  name: 'Action',
  width: '12rem',
  isRight: true,
  cell: (asset) => <AssetActions asset={asset} />,
};

function Symbol({ gid }: { readonly gid: string }) {
  return <span className="truncate font-medium">{shorten(useSymbol(gid))}</span>;
}

function Filters({ search }: { readonly search: AssetSearch }) {
  const navigate = useNavigate({ from: '/assets' });
  const set = (change: AssetSearch): void =>
    void navigate({ search: withoutEmpty({ ...search, ...change }), replace: true });
  return (
    <div role="group" aria-label="Filters" className="flex flex-wrap items-center gap-2">
      <ChoiceChip
        name="Status"
        options={STATUSES.map((value) => ({ value, title: toWords(value) }))}
        chosen={search.statuses ?? []}
        onChange={(statuses) => set({ statuses: orNone(statuses) })}
      />
      <ChainChip chosen={search.chains} onChange={(chains) => set({ chains })} />
      <ChoiceChip
        name="Archived"
        isSingle
        options={[{ value: 'true', title: 'Archived only' }]}
        chosen={search.archived === undefined ? [] : [search.archived]}
        onChange={([archived]) => set({ archived: archived as AssetSearch['archived'] })}
      />
      {Object.keys(search).length > 0 && (
        <ClearButton onClear={() => void navigate({ search: {}, replace: true })} />
      )}
    </div>
  );
}

const CHANGED = ['assets', 'token', 'balances'];

function useRefresh(): () => Promise<void> {
  const client = useQueryClient();
  return () =>
    client.invalidateQueries({ predicate: ({ queryKey }) => CHANGED.includes(String(queryKey[0])) });
}

/** Puts a token on the project's list: its name, symbol and decimals come from its chain. */
function useAddToken(): (gid: string) => Promise<void> {
  const refresh = useRefresh();
  return async (gid) => {
    const { symbol } = await bodyOf(
      api.POST('/tokens/{chain_gid}/{asset_path}', { params: { path: splitAssetGid(gid) } }),
    );
    tell(`${symbol ?? 'The token'} added`);
    await refresh();
  };
}

function AssetActions({ asset: { gid, status, archived_at } }: { readonly asset: Asset }) {
  const may = useMay();
  const refresh = useRefresh();
  const addToken = useAddToken();
  const approving = useMutation({ mutationFn: () => addToken(gid), onError: tellProblem });
  const params = { path: splitAssetGid(gid) };
  const isArchived = archived_at !== null;
  const moving = useMutation({
    mutationFn: async () =>
      isArchived
        ? bodyOf(api.POST('/assets/{chain_gid}/{asset_path}/actions/restore', { params }))
        : bodyOf(api.POST('/assets/{chain_gid}/{asset_path}/actions/archive', { params })),
    onSuccess: () => tell(isArchived ? 'Asset restored' : 'Asset archived'),
    onError: tellProblem,
    onSettled: refresh,
  });
  return (
    <span className="flex gap-2">
      {status === 'unknown' && !isArchived && may('api:token:write') && (
        <Button isSmall isBusy={approving.isPending} onClick={() => approving.mutate()}>
          Approve
        </Button>
      )}
      {may('api:asset:write') && (
        <Button isSmall isBusy={moving.isPending} onClick={() => moving.mutate()}>
          {isArchived ? 'Restore' : 'Archive'}
        </Button>
      )}
    </span>
  );
}
