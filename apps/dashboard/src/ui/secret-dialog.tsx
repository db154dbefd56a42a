// SPDX-License-Identifier: Apache-2.0
import { Copy } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CopyAction } from './copy.tsx';
import { Modal, ModalActions } from './modal.tsx';

interface SecretDialogProps {
  readonly title: string;
  readonly label: string;
  readonly secret: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** What is shown once: the dialog ends by its button alone. */
export function SecretDialog({ title, label, secret, onClose, children }: SecretDialogProps) {
  return (
    <Modal title={title} isSticky onClose={onClose}>
      <p className="text-[13px] text-soft">{children}</p>
      <p className="mt-4 text-[13px] font-medium">{label}</p>
      <div className="mt-1.5 flex items-center gap-2">
        <code className="min-w-0 flex-1 rounded-md border border-line bg-sunken px-3 py-2 font-mono text-[13px] break-all">
          {secret}
        </code>
        <CopyAction text={secret} icon={Copy}>
          Copy
        </CopyAction>
      </div>
      <ModalActions>
        <Button look="primary" onClick={onClose}>
          I've saved it
        </Button>
      </ModalActions>
    </Modal>
  );
}
