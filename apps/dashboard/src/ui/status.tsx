// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from 'react';
import { classes } from './classes.ts';

type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'none';

/** What each word of the API means for who looks at it. */
const TONES: Readonly<Record<string, Tone>> = {
  confirmed: 'ok',
  delivered: 'ok',
  active: 'ok',
  healthy: 'ok',
  serving: 'ok',
  resolved: 'ok',
  following: 'ok',
  processed: 'info',
  complete: 'ok',
  completed: 'ok',
  matched: 'ok',
  detected: 'info',
  new: 'info',
  pending: 'info',
  catching_up: 'info',
  starting: 'info',
  queued: 'info',
  receiving: 'info',
  matching: 'info',
  running: 'info',
  held: 'warn',
  unconfirmed: 'warn',
  duplicate: 'warn',
  amount_differs: 'bad',
  missing_in_books: 'bad',
  missing_on_chain: 'bad',
  failing: 'warn',
  degraded: 'warn',
  recovering: 'warn',
  reorged: 'bad',
  failed: 'bad',
  stalled: 'bad',
  unavailable: 'bad',
  invalid: 'bad',
  open: 'warn',
  revoked: 'bad',
  unknown: 'bad',
};

const WASHES: Readonly<Record<Tone, string>> = {
  ok: 'bg-ok-wash text-ok',
  warn: 'bg-warn-wash text-warn',
  bad: 'bg-bad-wash text-bad',
  info: 'bg-info-wash text-info',
  none: 'bg-sunken text-soft',
};

const DOTS: Readonly<Record<Tone, string>> = {
  ok: 'bg-ok-dot',
  warn: 'bg-warn-dot',
  bad: 'bg-bad-dot',
  info: 'bg-info-dot',
  none: 'bg-faint',
};

export function toneOf(status: string): Tone {
  return Object.hasOwn(TONES, status) ? TONES[status]! : 'none';
}

export function Status({ of }: { readonly of: string }) {
  return <Badge tone={toneOf(of)}>{toWords(of)}</Badge>;
}

export function Badge({ tone = 'none', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span
      className={classes(
        'inline-flex h-5.5 items-center gap-1.5 rounded-full px-2 text-xs font-medium whitespace-nowrap',
        WASHES[tone],
      )}
    >
      <Dot tone={tone} />
      {children}
    </span>
  );
}

export function Dot({ tone }: { readonly tone: Tone }) {
  return <span aria-hidden className={classes('size-1.5 shrink-0 rounded-full', DOTS[tone])} />;
}

/** `catching_up` → `Catching up`. */
export function toWords(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
