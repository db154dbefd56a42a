// SPDX-License-Identifier: Apache-2.0
import { useSyncExternalStore } from 'react';

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
const ABSOLUTE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

const TICK_MS = 5_000;
const listeners = new Set<() => void>();
let nowMs = Date.now();
setInterval(() => {
  nowMs = Date.now();
  for (const listener of listeners) listener();
}, TICK_MS);

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The time, to a few seconds: one clock for the whole page. */
export function useNow(): number {
  return useSyncExternalStore(listen, () => nowMs);
}

/** How long ago, with the exact time beside it or on hover. */
export function Time({ at, isLong = false }: { readonly at: string; readonly isLong?: boolean }) {
  const now = useNow();
  const absolute = ABSOLUTE.format(new Date(at));
  return (
    <time
      dateTime={at}
      title={`${absolute} · ${at}`}
      className={isLong ? 'tabular-nums' : 'whitespace-nowrap tabular-nums'}
    >
      {sayAgo(Date.parse(at), Math.max(now, Date.now()))}
      {isLong && <span className="block text-faint">{absolute}</span>}
    </time>
  );
}

function sayAgo(thenMs: number, now: number): string {
  const seconds = Math.round((thenMs - now) / 1_000);
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return RELATIVE.format(Math.trunc(seconds / length), unit);
}

/** How long until then, with the exact time on hover. */
export function TimeLeft({ until }: { readonly until: string }) {
  const now = Math.max(useNow(), Date.now());
  return (
    <time
      dateTime={until}
      title={ABSOLUTE.format(new Date(until))}
      className="whitespace-nowrap tabular-nums"
    >
      {sayLeft(Date.parse(until), now)}
    </time>
  );
}

/** How long until then: `23 h 59 min`, `4 min`, `59 s`; nothing is left of what is over. */
export function sayLeft(untilMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.ceil((untilMs - nowMs) / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes} min`;
}
