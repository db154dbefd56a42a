// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import type { Key } from '../../api/management-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { Modal, ModalActions } from '../../ui/modal.tsx';
import { Problem } from '../../ui/notice.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';

const GRACES = [
  [0, 'Not at all'],
  [3_600, 'An hour'],
  [86_400, 'A day'],
  [7 * 86_400, 'A week'],
  [30 * 86_400, '30 days'],
] as const;

interface RollDialogProps {
  readonly rolled: Key;
  readonly onClose: () => void;
}

/** A new key with the same permissions; the old one goes on for a while, so that programs can change over. */
export function RollDialog({ rolled: { id, name, mask }, onClose }: RollDialogProps) {
  const client = useQueryClient();
  const [grace, setGrace] = useState<number>(GRACES[2][0]);
  const rolling = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/management/keys/{key_id}/actions/roll', {
          params: { path: { key_id: id } },
          body: { grace_seconds: grace },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ['keys'] }),
  });
  if (rolling.data)
    return (
      <SecretDialog
        title={`The new ${rolling.data.name}`}
        label="Key"
        secret={rolling.data.key}
        onClose={onClose}
      >
        Store it in the program that uses the old key. It is shown only once.
      </SecretDialog>
    );
  return (
    <Modal
      title={`Roll ${name}`}
      description="Replaces the key with a new one that has the same permissions."
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <Select
          label={`${mask} goes on for`}
          value={grace}
          onChange={(event) => setGrace(Number(event.target.value))}
        >
          {GRACES.map(([seconds, title]) => (
            <option key={seconds} value={seconds}>
              {title}
            </option>
          ))}
        </Select>
        {rolling.error && <Problem error={rolling.error} />}
      </div>
      <ModalActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" isBusy={rolling.isPending} onClick={() => rolling.mutate()}>
          Roll
        </Button>
      </ModalActions>
    </Modal>
  );
}
