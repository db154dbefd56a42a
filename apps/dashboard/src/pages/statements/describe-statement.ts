// SPDX-License-Identifier: Apache-2.0
import type { Statement } from '../../api/statement-queries.ts';

const DAY_MS = 86_400_000;
const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const MINUTE = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** `Oct 1, 2026 – Nov 1, 2026`, with the time where it is not midnight UTC. */
export function sayPeriod({ from, to }: { readonly from: string; readonly to: string }): string {
  const isOfDays = [from, to].every((time) => Date.parse(time) % DAY_MS === 0);
  const format = isOfDays ? DAY : MINUTE;
  return `${format.format(new Date(from))} – ${format.format(new Date(to))}`;
}

/** Which addresses it is about. */
export function saySelection({
  addresses,
  group,
  public_key_id,
}: Pick<Statement, 'addresses' | 'group' | 'public_key_id'>): string {
  if (group !== null) return `Group ${group}`;
  if (public_key_id !== null) return 'Public key';
  const count = addresses?.length ?? 0;
  return count === 1 ? addresses![0]! : `${count.toLocaleString('en')} addresses`;
}

/** What it declares not to know, in words. */
export function sayGaps({ status, progress: { gaps } }: Pick<Statement, 'status' | 'progress'>): string {
  if (status !== 'completed') return gaps === 0 ? '–' : `${gaps.toLocaleString('en')} so far`;
  return gaps === 0 ? 'None' : gaps.toLocaleString('en');
}

/** `1536` → `1.5 KB` */
export function saySize(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB'];
  const power = bytes < 1_024 ? 0 : Math.min(3, Math.floor(Math.log2(bytes) / 10));
  const digits = power === 0 ? 0 : 1;
  return `${(bytes / 1_024 ** power).toLocaleString('en', { maximumFractionDigits: digits })} ${units[power]}`;
}

/** The month before the one of this moment, from midnight to midnight UTC: `['2026-10-01', '2026-11-01']`. */
export function lastMonth(nowMs: number): readonly [string, string] {
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  return [day(Date.UTC(year, month - 1, 1)), day(Date.UTC(year, month, 1))];
}

/** Each once, in the order in which they were written, however they were separated. */
export function splitAddresses(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((one) => one !== ''))];
}
