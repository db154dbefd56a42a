// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { endpointsQuery, type ChainEndpoint } from '../../api/chain-queries.ts';
import { api, bodyOf } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Problem } from '../../ui/notice.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';

/** Further nodes of a chain: their weights, and how to remove them. */
export function EndpointList({ chainGid }: { readonly chainGid: string }) {
  const query = useQuery(endpointsQuery(chainGid));
  if (query.error) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  const items = query.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <ul aria-label="Further nodes" className="flex flex-col gap-2">
      {items.map((endpoint) => (
        <EndpointLine key={endpoint.id} endpoint={endpoint} />
      ))}
    </ul>
  );
}

function EndpointLine({ endpoint }: { readonly endpoint: ChainEndpoint }) {
  const client = useQueryClient();
  const [weight, setWeight] = useState(String(endpoint.weight));
  const params = { path: { chain_gid: endpoint.chain_gid, endpoint_id: endpoint.id } };
  const refresh = () => client.invalidateQueries({ queryKey: ['chains'] });
  const saving = useMutation({
    mutationFn: () =>
      bodyOf(
        api.PATCH('/blockchains/{chain_gid}/endpoints/{endpoint_id}', {
          params,
          body: { weight: Number(weight) },
        }),
      ),
    onSuccess: () => tell('Weight saved'),
    onError: tellProblem,
    onSettled: refresh,
  });
  const removing = useMutation({
    mutationFn: () => bodyOf(api.DELETE('/blockchains/{chain_gid}/endpoints/{endpoint_id}', { params })),
    onSuccess: () => tell('Node removed'),
    onError: tellProblem,
    onSettled: refresh,
  });
  return (
    <li className="flex flex-wrap items-center gap-2 text-[13px]">
      <code className="min-w-0 flex-1 font-mono break-all">{endpoint.url}</code>
      <form
        className="flex items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <label className="flex items-center gap-1.5 text-soft">
          Weight
          <input
            type="number"
            required
            min={1}
            max={1_000}
            value={weight}
            onChange={({ target }) => setWeight(target.value)}
            className="h-7 w-16 rounded-md border border-line-strong bg-panel px-2 text-ink tabular-nums"
          />
        </label>
        {weight !== String(endpoint.weight) && (
          <Button type="submit" isSmall isBusy={saving.isPending}>
            Save weight
          </Button>
        )}
      </form>
      <ConfirmButton
        isSmall
        isBusy={removing.isPending}
        question={`Remove ${endpoint.url}?`}
        consequence="The services stop using this node. Other nodes of the chain stay."
        onConfirm={() => removing.mutate()}
      >
        Remove
      </ConfirmButton>
    </li>
  );
}
