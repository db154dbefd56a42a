import { InvalidArgumentError } from 'commander';

export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
}

export function parseCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('expected a whole number.');
  return Number(text);
}

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A time, or how long ago: `2026-01-31T12:00:00Z`, `90m`, `2d`. As ISO 8601. */
export function parseSince(text: string): string {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms =
    count === undefined
      ? Date.parse(text)
      : Date.now() - Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
  if (Number.isNaN(ms))
    throw new InvalidArgumentError('expected a time such as 2026-01-31T12:00:00Z, or 90m, 2d.');
  return new Date(ms).toISOString();
}
