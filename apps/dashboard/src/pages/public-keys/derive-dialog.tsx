// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import type { PublicKey } from '../../api/public-key-queries.ts';
import { reasonFor, Select, TextField } from '../../ui/field.tsx';
import { FormModal } from '../../ui/form-modal.tsx';
import { tellMonitored } from '../addresses/monitoring.tsx';

interface DeriveDialogProps {
  readonly publicKey: PublicKey;
  readonly onClose: () => void;
}

/** Addresses from an index to an index; those that are there already stay. */
export function DeriveDialog({ publicKey: { id, next_index }, onClose }: DeriveDialogProps) {
  const client = useQueryClient();
  const [from, setFrom] = useState(String(next_index ?? 0));
  const [to, setTo] = useState(String((next_index ?? 0) + 9));
  const [change, setChange] = useState<0 | 1>(0);
  const deriving = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/public_keys/{public_key_id}/addresses', {
          params: { path: { public_key_id: id } },
          body: { from: Number(from), to: Number(to), change },
        }),
      ),
    onSuccess: async ({ created_count, items }) => {
      const warned = items.find(({ warnings }) => warnings.length > 0);
      tellMonitored(
        `${created_count.toLocaleString()} ${created_count === 1 ? 'address is' : 'addresses are'} monitored`,
        warned ?? { warnings: [] },
      );
      onClose();
      await client.invalidateQueries({ queryKey: ['public-keys'] });
    },
  });
  const reasons = [reasonFor(deriving.error, 'from'), reasonFor(deriving.error, 'to')];
  return (
    <FormModal
      title="Derive a range"
      description="Maximum 1,000 at a time. Monitoring starts at once."
      onClose={onClose}
      action="Derive"
      sending={deriving}
      reasons={reasons}
    >
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="From index"
          type="number"
          min={0}
          required
          autoFocus
          value={from}
          onChange={(event) => setFrom(event.target.value)}
          error={reasons[0]}
        />
        <TextField
          label="To index"
          type="number"
          min={0}
          required
          value={to}
          onChange={(event) => setTo(event.target.value)}
          error={reasons[1]}
        />
      </div>
      <Select label="For" value={change} onChange={(event) => setChange(event.target.value === '1' ? 1 : 0)}>
        <option value={0}>Receiving</option>
        <option value={1}>Change</option>
      </Select>
    </FormModal>
  );
}
