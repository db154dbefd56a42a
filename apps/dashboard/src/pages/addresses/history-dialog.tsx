// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import { addressQuery, chainsQuery, type Address } from '../../api/queries.ts';
import { reasonFor, Select, TextField } from '../../ui/field.tsx';
import { FormModal } from '../../ui/form-modal.tsx';
import { tell } from '../../ui/toast.tsx';

interface HistoryDialogProps {
  readonly address: Address;
  readonly onClose: () => void;
}

export function HistoryDialog({ address: { address, chain_family }, onClose }: HistoryDialogProps) {
  const client = useQueryClient();
  const { data } = useQuery(chainsQuery);
  const chains = data?.items.filter((chain) => chain.is_active && chain.family === chain_family) ?? [];
  const [chosen, setChosen] = useState<string>();
  const gid = chosen ?? chains[0]?.gid;
  const [from, setFrom] = useState('0');
  const asking = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/addresses/{address}/actions/backfill', {
          params: { path: { address } },
          body: { history: { [gid ?? '']: Number(from) } },
        }),
      ),
    onSuccess: async () => {
      tell('History import started');
      await client.invalidateQueries(addressQuery(address));
      onClose();
    },
  });
  const reason = reasonFor(asking.error, 'history');
  return (
    <FormModal
      title="Import history"
      description="Reads final blocks from the given block on, with a limited share of the node."
      onClose={onClose}
      action="Read"
      sending={asking}
      reasons={[reason]}
      isDisabled={gid === undefined}
    >
      <Select label="Chain" value={gid} onChange={(event) => setChosen(event.target.value)}>
        {chains.map((chain) => (
          <option key={chain.gid} value={chain.gid}>
            {chain.display_name}
          </option>
        ))}
      </Select>
      <TextField
        label="From block"
        type="number"
        min={0}
        required
        value={from}
        onChange={(event) => setFrom(event.target.value)}
        error={reason}
      />
    </FormModal>
  );
}
