// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { useTitle } from './use-title.ts';

interface PageProps {
  readonly title: ReactNode;
  readonly eyebrow?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page: its name, what can be done, its content. */
export function Page({ title, eyebrow, actions, children }: PageProps) {
  const heading = useTitle();
  return (
    <div className="mx-auto flex w-full max-w-[1400px] flex-col gap-5 px-4 py-6 sm:px-6 lg:px-8">
      <header className="flex flex-wrap items-end justify-between gap-3">
        <div className="min-w-0">
          {eyebrow !== undefined && <div className="mb-1 text-[13px] text-faint">{eyebrow}</div>}
          <h1 ref={heading} className="text-xl font-semibold tracking-tight text-balance break-words">
            {title}
          </h1>
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface PanelProps {
  readonly title?: ReactNode;
  readonly aside?: ReactNode;
  readonly isFlush?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Panel({ title, aside, isFlush = false, className, children }: PanelProps) {
  return (
    <section className={classes('rounded-xl border border-line bg-panel shadow-panel', className)}>
      {title !== undefined && (
        <header className="flex min-h-11 items-center justify-between gap-3 border-b border-line px-4 py-2">
          <h2 className="text-[13px] font-semibold">{title}</h2>
          {aside}
        </header>
      )}
      <div className={isFlush ? '' : 'p-4'}>{children}</div>
    </section>
  );
}

/** Facts, a name and a value each. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[minmax(7rem,auto)_1fr] gap-x-6 gap-y-2.5 max-sm:grid-cols-1 max-sm:gap-y-0.5">
      {children}
    </dl>
  );
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-[13px] text-faint max-sm:mt-2">{name}</dt>
      <dd className="min-w-0 text-[13px] break-words">{children}</dd>
    </>
  );
}
