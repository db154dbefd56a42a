// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { networkQuery, policyQuery, type Policy } from '../../api/chain-queries.ts';
import { api, bodyOf } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, isPlaced, reasonFor, Select, TextField } from '../../ui/field.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { tell } from '../../ui/toast.tsx';

/** When payments of the project count as confirmed on this chain. */
export function PolicyPanel({ chainGid }: { readonly chainGid: string }) {
  const may = useMay();
  const query = useQuery(policyQuery(chainGid));
  const network = useQuery(networkQuery(chainGid));
  return (
    <Panel title="Confirmation policy">
      {query.error ? (
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Waiting rows={2} />
      ) : (
        <>
          <p className="text-[13px]">{describePolicy(query.data)}</p>
          {may('api:confirmation_policy:write') && (
            <PolicyForm
              key={query.data?.updated_at ?? 'none'}
              chainGid={chainGid}
              policy={query.data}
              leastDepth={query.data?.chain_default.depth ?? leastDepthOf(network.data)}
            />
          )}
        </>
      )}
    </Panel>
  );
}

/** `Confirmed after 3 confirmations.` */
export function describePolicy(policy: Policy | null): string {
  if (policy === null) return 'No policy of this project: the default of the chain applies.';
  if (policy.depth === null) return 'Confirmed when the chain says that its block is final.';
  const confirmations = `${policy.depth} ${policy.depth === 1 ? 'confirmation' : 'confirmations'}`;
  const warning = ` Below the ${policy.chain_default.depth} of the chain: a reorg may undo a confirmed payment.`;
  return `Confirmed after ${confirmations}.${policy.is_unsafe ? warning : ''}`;
}

/** Confirmations of a chain by default, from the document of its network. */
export function leastDepthOf(network: unknown): number | undefined {
  const { confirmation } = (network ?? {}) as { readonly confirmation?: { readonly depth?: unknown } };
  return typeof confirmation?.depth === 'number' ? confirmation.depth : undefined;
}

interface PolicyFormProps {
  readonly chainGid: string;
  readonly policy: Policy | null;
  /** Confirmations of the chain by default; undefined: not known here. */
  readonly leastDepth: number | undefined;
}

function PolicyForm({ chainGid, policy, leastDepth }: PolicyFormProps) {
  const [type, setType] = useState<Policy['type'] | 'none'>(policy?.type ?? 'none');
  const [depth, setDepth] = useState(String(policy?.depth ?? leastDepth ?? ''));
  const [isUnsafe, setUnsafe] = useState(policy?.is_unsafe ?? false);
  const saving = useSaving(chainGid);
  const isLow = type === 'depth' && leastDepth !== undefined && Number(depth) < leastDepth;
  const { error } = saving;
  return (
    <form
      className="mt-3 flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate(
          type === 'depth' ? { type, depth: Number(depth), ...(isUnsafe && { unsafe: true }) } : { type },
        );
      }}
    >
      <Select
        label="Confirm a transaction"
        hint="Applies to transactions detected from now on."
        value={type}
        onChange={({ target }) => setType(target.value as typeof type)}
      >
        <option value="none">Chain default</option>
        <option value="finalized">When the chain finalizes the block</option>
        <option value="depth">After a number of confirmations</option>
      </Select>
      {type === 'depth' && (
        <TextField
          label="Number of confirmations"
          type="number"
          required
          min={1}
          max={10_000}
          hint={leastDepth === undefined ? undefined : `Default of the chain: ${leastDepth}.`}
          value={depth}
          onChange={({ target }) => setDepth(target.value)}
          error={reasonFor(error, 'depth')}
        />
      )}
      {isLow && (
        <Checkbox
          label="Accept fewer confirmations than the default"
          hint="A reorg may undo a confirmed payment. transaction.reorged is sent then."
          checked={isUnsafe}
          onChange={({ target }) => setUnsafe(target.checked)}
        />
      )}
      {error && !isPlaced(error, ['depth']) && <Problem error={error} />}
      <Button
        type="submit"
        className="self-start"
        disabled={(type === 'none' && policy === null) || (isLow && !isUnsafe)}
        isBusy={saving.isPending}
      >
        Save policy
      </Button>
    </form>
  );
}

type Choice =
  | { readonly type: 'none' | 'finalized' }
  | { readonly type: 'depth'; readonly depth: number; readonly unsafe?: boolean };

function useSaving(chainGid: string) {
  const client = useQueryClient();
  const params = { path: { chain_gid: chainGid } };
  return useMutation({
    mutationFn: async (choice: Choice) => {
      if (choice.type === 'none') {
        await bodyOf(api.DELETE('/confirmation_policies/{chain_gid}', { params }));
        return;
      }
      const body = choice as Exclude<Choice, { type: 'none' | 'finalized' }> | { type: 'finalized' };
      await bodyOf(api.PUT('/confirmation_policies/{chain_gid}', { params, body }));
    },
    onSuccess: async () => {
      tell('Confirmation policy saved');
      await client.invalidateQueries({ queryKey: ['policies'] });
    },
  });
}
