// SPDX-License-Identifier: Apache-2.0
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { reasonFor, TextField } from './field.tsx';
import { FormModal } from './form-modal.tsx';

interface TextDialogProps {
  readonly title: string;
  readonly label: string;
  /** Its member in the body of the request, under which the API names what is wrong. */
  readonly member: string;
  readonly hint?: ReactNode;
  readonly value?: string;
  readonly isRequired?: boolean;
  /** What the button says. */
  readonly action?: string;
  readonly save: (text: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks for one text. */
export function TextDialog({
  title,
  label,
  member,
  hint,
  value = '',
  isRequired = false,
  action = 'Save',
  save,
  onClose,
}: TextDialogProps) {
  const [text, setText] = useState(value);
  const saving = useMutation({ mutationFn: () => save(text.trim()), onSuccess: onClose });
  const reason = reasonFor(saving.error, member);
  return (
    <FormModal title={title} onClose={onClose} action={action} sending={saving} reasons={[reason]}>
      <TextField
        label={label}
        hint={hint}
        required={isRequired}
        autoFocus
        maxLength={255}
        value={text}
        onChange={(event) => setText(event.target.value)}
        error={reason}
      />
    </FormModal>
  );
}
