// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import type { Address } from '../../api/queries.ts';
import { reasonFor, TextField } from '../../ui/field.tsx';
import { FormModal } from '../../ui/form-modal.tsx';

interface EditDialogProps {
  readonly address: Address;
  readonly onClose: () => void;
}

export function EditDialog({ address, onClose }: EditDialogProps) {
  const client = useQueryClient();
  const [label, setLabel] = useState(address.label ?? '');
  const [groups, setGroups] = useState(address.groups.join(', '));
  const saving = useMutation({
    mutationFn: () =>
      bodyOf(
        api.PATCH('/addresses/{address}', {
          params: { path: { address: address.address } },
          body: { label: label.trim() || null, groups: splitGroups(groups) },
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({
        predicate: ({ queryKey }) => ['address', 'addresses'].includes(String(queryKey[0])),
      });
      onClose();
    },
  });
  const reasons = [reasonFor(saving.error, 'label'), reasonFor(saving.error, 'groups')];
  return (
    <FormModal title="Label and groups" onClose={onClose} action="Save" sending={saving} reasons={reasons}>
      <TextField
        label="Label"
        hint="Included in events so your systems can match the payment to a customer."
        autoFocus
        maxLength={255}
        value={label}
        onChange={(event) => setLabel(event.target.value)}
        error={reasons[0]}
      />
      <TextField
        label="Groups"
        hint="Maximum 20, separated by commas. Lists and channels can filter by group."
        value={groups}
        onChange={(event) => setGroups(event.target.value)}
        error={reasons[1]}
      />
    </FormModal>
  );
}

function splitGroups(text: string): string[] {
  const groups = text.split(',').map((group) => group.trim());
  return [...new Set(groups)].filter((group) => group !== '');
}
