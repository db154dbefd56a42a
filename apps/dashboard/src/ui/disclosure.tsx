// SPDX-License-Identifier: Apache-2.0
import { ChevronRight } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { classes } from './classes.ts';

interface DisclosureProps {
  readonly title: string;
  /** What is set in it, in few words. */
  readonly note?: string | undefined;
  /** Open at first, and again as soon as this becomes true. */
  readonly isOpen: boolean;
  readonly children: ReactNode;
}

/** A part of a form that most people never need: its fields are there once it is opened. */
export function Disclosure({ title, note, isOpen, children }: DisclosureProps) {
  const id = useId();
  const [opened, setOpened] = useState(isOpen);
  const [was, setWas] = useState(isOpen);
  if (isOpen !== was) {
    setWas(isOpen);
    if (isOpen) setOpened(true);
  }
  return (
    <section className="rounded-lg border border-line">
      <h3>
        <button
          type="button"
          aria-expanded={opened}
          aria-controls={opened ? id : undefined}
          onClick={() => setOpened(!opened)}
          className="flex w-full items-center gap-2 rounded-lg px-3 py-2 text-left text-[13px] font-medium hover:bg-hover"
        >
          <ChevronRight
            aria-hidden
            className={classes('size-4 text-faint transition-transform', opened && 'rotate-90')}
          />
          {title}
          {note !== undefined && <span className="ml-auto font-normal text-soft">{note}</span>}
        </button>
      </h3>
      {opened && (
        <div id={id} className="flex flex-col gap-3 border-t border-line p-3">
          {children}
        </div>
      )}
    </section>
  );
}
