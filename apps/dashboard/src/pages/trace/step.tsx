// SPDX-License-Identifier: Apache-2.0
import { Check, Clock, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from '../../ui/classes.ts';

export type StepTone = 'ok' | 'wait' | 'bad';

interface StepProps {
  readonly tone: StepTone;
  readonly title: ReactNode;
  readonly aside?: ReactNode;
  readonly children?: ReactNode;
}

const MARKS = {
  ok: ['bg-ok-wash text-ok', Check, 'done'],
  wait: ['bg-sunken text-faint', Clock, 'waiting'],
  bad: ['bg-bad-wash text-bad', TriangleAlert, 'failed'],
} as const;

/** One station on the way of a payment. */
export function Step({ tone, title, aside, children }: StepProps) {
  const [look, Icon, word] = MARKS[tone];
  return (
    <li className="group flex gap-3 sm:gap-4">
      <div className="flex flex-col items-center">
        <span
          className={classes('mt-2.5 flex size-7 shrink-0 items-center justify-center rounded-full', look)}
        >
          <Icon aria-label={word} className="size-3.5" />
        </span>
        <span aria-hidden className="mt-1 w-px flex-1 bg-line group-last:hidden" />
      </div>
      <div className="min-w-0 flex-1 pb-4">
        <div className="rounded-xl border border-line bg-panel shadow-panel">
          <div className="flex min-h-12 flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2">
            <h2 className="font-medium">{title}</h2>
            <div className="text-[13px] text-soft">{aside}</div>
          </div>
          {children !== undefined && <div className="border-t border-line">{children}</div>}
        </div>
      </div>
    </li>
  );
}
