// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Asset } from '../../api/asset-queries.ts';
import { api, bodyOf } from '../../api/client.ts';
import { splitAssetGid } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';

const CHANGED = ['assets', 'token', 'balances'];

function useRefresh(): () => Promise<void> {
  const client = useQueryClient();
  return () =>
    client.invalidateQueries({ predicate: ({ queryKey }) => CHANGED.includes(String(queryKey[0])) });
}

/** Puts a token on the project's list: its name, symbol and decimals come from its chain. */
export function useAddToken(): (gid: string) => Promise<void> {
  const refresh = useRefresh();
  return async (gid) => {
    const { symbol } = await bodyOf(
      api.POST('/tokens/{chain_gid}/{asset_path}', { params: { path: splitAssetGid(gid) } }),
    );
    tell(`${symbol ?? 'The token'} added`);
    await refresh();
  };
}

export function AssetActions({ asset: { gid, status, archived_at } }: { readonly asset: Asset }) {
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
