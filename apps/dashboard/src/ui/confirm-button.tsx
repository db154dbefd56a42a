// SPDX-License-Identifier: Apache-2.0
import { useState } from 'react';
import type { ComponentProps, ReactNode } from 'react';
import { Button } from './button.tsx';
import { Modal, ModalActions } from './modal.tsx';

interface ConfirmButtonProps extends Omit<ComponentProps<typeof Button>, 'onClick'> {
  readonly question: string;
  /** What it means. */
  readonly consequence: ReactNode;
  readonly onConfirm: () => void;
}

/** For what is not taken back by pressing once more. */
export function ConfirmButton({ question, consequence, onConfirm, children, ...rest }: ConfirmButtonProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button {...rest} onClick={() => setAsking(true)}>
        {children}
      </Button>
      {isAsking && (
        <Modal title={question} onClose={() => setAsking(false)}>
          <p className="text-[13px] text-soft">{consequence}</p>
          <ModalActions>
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button
              look="danger"
              autoFocus
              onClick={() => {
                setAsking(false);
                onConfirm();
              }}
            >
              {children}
            </Button>
          </ModalActions>
        </Modal>
      )}
    </>
  );
}
