import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import type { Address } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { reasonFor, TextField } from '../../ui/field.tsx';
import { Modal, ModalActions } from '../../ui/modal.tsx';
import { Problem } from '../../ui/notice.tsx';

interface LabelDialogProps {
  readonly address: Address;
  readonly onClose: () => void;
}

export function LabelDialog({ address, onClose }: LabelDialogProps) {
  const client = useQueryClient();
  const [label, setLabel] = useState(address.label ?? '');
  const saving = useMutation({
    mutationFn: () =>
      bodyOf(
        api.PATCH('/addresses/{address}', {
          params: { path: { address: address.address } },
          body: { label: label.trim() || null },
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({
        predicate: ({ queryKey }) => ['address', 'addresses'].includes(String(queryKey[0])),
      });
      onClose();
    },
  });
  const reason = reasonFor(saving.error, 'label');
  return (
    <Modal title="Label" onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <TextField
          label="Label"
          hint="It stands in events too, so that your systems know whose payment it is."
          autoFocus
          maxLength={255}
          value={label}
          onChange={(event) => setLabel(event.target.value)}
          error={reason}
        />
        {saving.error && reason === undefined && <Problem error={saving.error} />}
        <ModalActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={saving.isPending}>
            Save
          </Button>
        </ModalActions>
      </form>
    </Modal>
  );
}
