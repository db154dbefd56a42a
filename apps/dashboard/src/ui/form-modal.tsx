// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Modal, ModalActions } from './modal.tsx';
import { Problem } from './notice.tsx';

interface FormModalProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** What the button says that sends the form. */
  readonly action: string;
  readonly isDisabled?: boolean;
  /** What sends it: a mutation. */
  readonly sending: {
    readonly error: Error | null;
    readonly isPending: boolean;
    readonly mutate: () => void;
  };
  /** What the fields say of the answer; a problem that no field names stands below them. */
  readonly reasons: readonly (string | undefined)[];
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog with a form: its fields, what went wrong, and two buttons. */
export function FormModal({
  title,
  description,
  action,
  isDisabled = false,
  sending,
  reasons,
  onClose,
  children,
}: FormModalProps) {
  return (
    <Modal title={title} description={description} onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          sending.mutate();
        }}
      >
        {children}
        {sending.error && reasons.every((reason) => reason === undefined) && (
          <Problem error={sending.error} />
        )}
        <ModalActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={isDisabled} isBusy={sending.isPending}>
            {action}
          </Button>
        </ModalActions>
      </form>
    </Modal>
  );
}
