// SPDX-License-Identifier: Apache-2.0
// cspell:ignore smhd
import { InvalidArgumentError } from 'commander';
import { EVENT_TYPES, type EventType } from '@chainwatch/events';
import { CHAIN_FAMILIES } from '@chainwatch/sdk/catalogue';

/** An option or argument that is named must have a value. */
export function parseText(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('expected a value, got nothing.');
  return text;
}

export function parseList(text: string): string[] {
  const parts = text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
  if (parts.length === 0) throw new InvalidArgumentError('expected values with commas between, got none.');
  return parts;
}

/** A list of which each value is known. */
export function listOf<T extends string>(choices: readonly T[]): (text: string) => T[] {
  return (text) => parseList(text).map((one) => choose(choices, one));
}

export function oneOf<T extends string>(choices: readonly T[]): (text: string) => T {
  return (text) => choose(choices, text);
}

function choose<T extends string>(choices: readonly T[], text: string): T {
  const known = choices.find((choice) => choice === text);
  if (known === undefined) throw new InvalidArgumentError(`expected ${choices.join(', ')}.`);
  return known;
}

export const parseFamily = oneOf(CHAIN_FAMILIES);
export const parseFamilies = listOf(CHAIN_FAMILIES);
export const parseEventType: (text: string) => EventType = oneOf(EVENT_TYPES);
export const parseEventTypes: (text: string) => EventType[] = listOf(EVENT_TYPES);

export function parseCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('expected a whole number.');
  return Number(text);
}

export function countOf(min: number, max: number): (text: string) => number {
  return (text) => {
    if (!/^\d{1,15}$/.test(text) || Number(text) < min || Number(text) > max)
      throw new InvalidArgumentError(`expected a whole number from ${min} to ${max}.`);
    return Number(text);
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function parseId(text: string): string {
  if (!UUID.test(text))
    throw new InvalidArgumentError('expected an ID such as 6f1d1f4e-0000-4000-8000-000000000001.');
  return text;
}

export function parseProject(text: string): string {
  if (!UUID.test(text))
    throw new InvalidArgumentError(
      `"${text}" is no project id: expected a UUID, as GET /v1/management/projects tells it.`,
    );
  return text;
}

/** CAIP-2. */
export function parseChainGid(text: string): string {
  if (!/^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/.test(text))
    throw new InvalidArgumentError('expected a chain as CAIP-2, such as eip155:1.');
  return text;
}

export function parseChainGids(text: string): string[] {
  return parseList(text).map(parseChainGid);
}

/** CAIP-19. */
export function parseAssetGid(text: string): string {
  const slash = text.indexOf('/');
  if (slash === -1 || !/^[-a-z0-9]{3,8}:[-.%a-zA-Z0-9]{1,128}$/.test(text.slice(slash + 1)))
    throw new InvalidArgumentError('expected an asset as CAIP-19, such as eip155:1/slip44:60.');
  parseChainGid(text.slice(0, slash));
  return text;
}

export function parseAssetGids(text: string): string[] {
  return parseList(text).map(parseAssetGid);
}

export function parseIds(text: string): string[] {
  return parseList(text).map(parseId);
}

/** Lists of whole numbers, as derivation indexes. */
export function parseCounts(text: string): number[] {
  return parseList(text).map(parseCount);
}

/** The API checks more of it. */
export function parseEmail(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text))
    throw new InvalidArgumentError('expected an address such as ops@example.com.');
  return text;
}

/** A decimal, as amounts are. */
export function parseAmount(text: string): string {
  if (!/^(0|[1-9]\d{0,77})(\.\d{1,77})?$/.test(text))
    throw new InvalidArgumentError('expected an amount such as 1.5.');
  return text;
}

export function urlOf(example: string, ...schemes: readonly string[]): (text: string) => string {
  return (text) => {
    if (!isUrl(text, schemes)) throw new InvalidArgumentError(`expected a URL such as ${example}.`);
    return text;
  };
}

export function isUrl(text: string, schemes: readonly string[]): boolean {
  return schemes.some((scheme) => text.toLowerCase().startsWith(`${scheme}://`)) && URL.canParse(text);
}

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** A time, or how long ago: `2026-01-31T12:00:00Z`, `90m`, `2d`. As ISO 8601. */
export function parseSince(text: string): string {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms =
    count === undefined
      ? readTime(text)
      : Date.now() - Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
  // Before 1970 nothing was recorded.
  if (ms === undefined || ms < 0)
    throw new InvalidArgumentError('expected a time such as 2026-01-31T12:00:00Z, or 90m, 2d.');
  return new Date(ms).toISOString();
}

/** A moment, as ISO 8601; a day begins in UTC. */
export function parseMoment(text: string): string {
  const ms = readTime(text);
  if (ms === undefined) throw new InvalidArgumentError('expected a time such as 2026-01-31T12:00:00Z.');
  return new Date(ms).toISOString();
}

/** A time to come, as ISO 8601. */
export function parseExpiry(text: string): string {
  const ms = readTime(text);
  if (ms === undefined || ms <= Date.now())
    throw new InvalidArgumentError('expected a time to come, such as 2031-01-31T12:00:00Z.');
  return new Date(ms).toISOString();
}

/** Undefined for 30 February, which Date.parse takes for a day of March. */
function readTime(text: string): number | undefined {
  const ms = DATE.test(text) ? Date.parse(text) : NaN;
  const day = Date.parse(text.slice(0, 10));
  if (Number.isNaN(ms) || new Date(day).toISOString().slice(0, 10) !== text.slice(0, 10)) return undefined;
  return ms;
}
