// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, bodyOf } from '../../api/client.ts';
import type { Blockchain } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Problem } from '../../ui/notice.tsx';
import { tell } from '../../ui/toast.tsx';

/** Whether the chain is followed. */
export function ChainActions({ chain }: { readonly chain: Blockchain }) {
  const may = useMay();
  const client = useQueryClient();
  const path = { chain_gid: chain.gid };
  const switching = useMutation({
    mutationFn: () =>
      chain.is_active
        ? bodyOf(api.POST('/blockchains/{chain_gid}/actions/deactivate', { params: { path } }))
        : bodyOf(api.POST('/blockchains/{chain_gid}/actions/activate', { params: { path }, body: {} })),
    onSuccess: () =>
      tell(
        chain.is_active
          ? `${chain.display_name} is no longer monitored`
          : `${chain.display_name} is monitored`,
      ),
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
          question={`Stop monitoring ${chain.display_name}?`}
          consequence="Monitoring stops for every project. Payments on this chain are not detected until you activate it again."
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
