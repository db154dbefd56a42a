import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import { reasonFor, TextField } from '../../ui/field.tsx';
import { FormModal } from '../../ui/form-modal.tsx';
import { FamilySelect } from './family-select.tsx';
import { tellMonitored } from './monitoring.tsx';
import { useFamilies, type Family } from './families.ts';

export function AddDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [value, setValue] = useState('');
  const [label, setLabel] = useState('');
  const [family, setFamily] = useState<Family>(useFamilies()[0]!);
  const adding = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/addresses/external', {
          body: {
            value: value.trim(),
            chain_family: family,
            ...(label.trim() !== '' && { label: label.trim() }),
          },
        }),
      ),
    onSuccess: async ({ address, warnings }) => {
      tellMonitored('The address is monitored', { warnings });
      await client.invalidateQueries({ queryKey: ['addresses'] });
      await navigate({ to: '/addresses/$address', params: { address } });
    },
  });
  const reason = reasonFor(adding.error, 'value');
  return (
    <FormModal
      title="Add an address"
      description="It counts from the moment that the answer comes."
      onClose={onClose}
      action="Add address"
      sending={adding}
      reasons={[reason]}
    >
      <TextField
        label="Address"
        required
        autoFocus
        className="font-mono"
        value={value}
        onChange={(event) => setValue(event.target.value)}
        error={reason}
      />
      <FamilySelect label="Family" family={family} onChange={setFamily} />
      <TextField
        label="Label"
        hint="As you call it; optional."
        maxLength={255}
        value={label}
        onChange={(event) => setLabel(event.target.value)}
      />
    </FormModal>
  );
}
