// SPDX-License-Identifier: Apache-2.0
import { X } from 'lucide-react';
import { useEffect, useId, useRef } from 'react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { classes } from './classes.ts';

interface ModalProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly isWide?: boolean;
  /** What was shown once must not be lost to a click beside it. */
  readonly isSticky?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The browser's own dialog: it keeps the focus, closes on Escape and hides the rest from readers. */
export function Modal({
  title,
  description,
  isWide = false,
  isSticky = false,
  onClose,
  children,
}: ModalProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // The browser would begin with the button that closes it.
    dialog?.querySelector<HTMLElement>('form :is(input, select, textarea)')?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!isSticky) onClose();
      }}
      onClick={(event) => event.target === ref.current && !isSticky && onClose()}
      className={classes(
        'm-auto w-[calc(100%-2rem)] rounded-xl border border-line bg-raised p-0 shadow-lifted open:animate-[rise_0.14s_ease-out]',
        isWide ? 'max-w-3xl' : 'max-w-lg',
      )}
    >
      <header className="flex items-start justify-between gap-4 border-b border-line px-5 py-4">
        <div>
          <h2 id={id} className="font-semibold">
            {title}
          </h2>
          {description !== undefined && <p className="mt-0.5 text-[13px] text-soft">{description}</p>}
        </div>
        {!isSticky && (
          <Button
            look="quiet"
            isSmall
            aria-label="Close"
            onClick={onClose}
            icon={<X aria-hidden className="size-4" />}
          />
        )}
      </header>
      <div className="p-5">{children}</div>
    </dialog>
  );
}

/** The last line of a form in a dialog. */
export function ModalActions({ children }: { readonly children: ReactNode }) {
  return <div className="mt-5 flex flex-wrap justify-end gap-2">{children}</div>;
}
