// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, isPlaced, reasonFor, TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/notice.tsx';
import { tell } from '../../ui/toast.tsx';

/** Adds a node beside the first one: the chain goes on when one of them fails. */
export function AddNodeForm({ chainGid }: { readonly chainGid: string }) {
  const client = useQueryClient();
  const [url, setUrl] = useState('');
  const [weight, setWeight] = useState('1');
  const [isChecked, setChecked] = useState(true);
  const adding = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/blockchains/{chain_gid}/endpoints', {
          params: { path: { chain_gid: chainGid }, query: { verify: isChecked } },
          body: { endpoint_url: url.trim(), weight: Number(weight) },
        }),
      ),
    onSuccess: async () => {
      setUrl('');
      setWeight('1');
      tell(isChecked ? 'Chain ID verified. Node added.' : 'Node added');
      await client.invalidateQueries({ queryKey: ['chains'] });
    },
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        adding.mutate();
      }}
    >
      <TextField
        label="Further node"
        required
        placeholder="https://user:password@node-2.example.com:8545"
        hint="A node of another operator keeps the chain running when the first one fails."
        className="font-mono"
        value={url}
        onChange={({ target }) => setUrl(target.value)}
        error={reasonFor(adding.error, 'endpoint_url')}
      />
      <TextField
        label="Weight of the node"
        type="number"
        required
        min={1}
        max={1_000}
        hint="Share of RPC gateway calls. Services try the highest weight first."
        value={weight}
        onChange={({ target }) => setWeight(target.value)}
        error={reasonFor(adding.error, 'weight')}
      />
      <Checkbox
        label="Test the node first"
        hint="The node must respond and serve this chain."
        checked={isChecked}
        onChange={({ target }) => setChecked(target.checked)}
      />
      {adding.error && !isPlaced(adding.error, ['endpoint_url', 'weight']) && (
        <Problem error={adding.error} />
      )}
      <Button type="submit" className="self-start" isBusy={adding.isPending}>
        Add node
      </Button>
    </form>
  );
}
