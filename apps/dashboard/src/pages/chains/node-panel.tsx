// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import type { Blockchain } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, reasonFor, TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { tell } from '../../ui/toast.tsx';
import { AddNodeForm } from './add-node-form.tsx';
import { EndpointList } from './endpoint-list.tsx';
import { NodeList } from './node-list.tsx';

/** Which nodes the chain is read from, and how they are. Whole URLs are never shown: they may hold a password. */
export function NodePanel({ chain }: { readonly chain: Blockchain }) {
  const may = useMay();
  return (
    <Panel title="Nodes">
      {chain.is_active && may('api:blockchain:write') && (
        <div className="mb-3 border-b border-line pb-3">
          <NodeList chainGid={chain.gid} />
        </div>
      )}
      <p className="text-[13px] text-soft">
        {chain.has_endpoint
          ? 'Saved, encrypted and masked.'
          : 'No node saved here. The configuration of the services may name nodes.'}
      </p>
      {may('api:blockchain:write') && <EndpointForm chain={chain} />}
      {chain.has_endpoint && may('api:blockchain:write') && (
        <div className="mt-4 flex flex-col gap-3 border-t border-line pt-3">
          <EndpointList chainGid={chain.gid} />
          <AddNodeForm chainGid={chain.gid} />
        </div>
      )}
    </Panel>
  );
}

function EndpointForm({ chain: { gid, family, has_endpoint } }: { readonly chain: Blockchain }) {
  const client = useQueryClient();
  const [url, setUrl] = useState('');
  const [isChecked, setChecked] = useState(true);
  const saving = useMutation({
    mutationFn: () =>
      bodyOf(
        // Each family has an operation of its own, with this member in all of them.
        api.PATCH(`/blockchains/{chain_gid}/${family}`, {
          params: { path: { chain_gid: gid }, query: { verify: isChecked } },
          body: { endpoint_url: url.trim() },
        }),
      ),
    onSuccess: async () => {
      setUrl('');
      tell(isChecked ? 'Chain ID verified. Node saved.' : 'Node saved');
      await client.invalidateQueries({ queryKey: ['chains'] });
    },
  });
  const reason = reasonFor(saving.error, 'endpoint_url');
  return (
    <form
      className="mt-3 flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <TextField
        label={has_endpoint ? 'Replacement URL' : 'URL'}
        required
        placeholder="https://node.example.com:8545"
        className="font-mono"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
        error={reason}
      />
      <Checkbox
        label="Verify chain ID first"
        checked={isChecked}
        onChange={(event) => setChecked(event.target.checked)}
      />
      {saving.error && reason === undefined && <Problem error={saving.error} />}
      <Button type="submit" className="self-start" isBusy={saving.isPending}>
        Save node
      </Button>
    </form>
  );
}
