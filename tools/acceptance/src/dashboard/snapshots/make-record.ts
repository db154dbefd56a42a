// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { getAddress } from 'viem';
import { buildExample } from '@chainwatch/platform/http';
import type { components } from '@chainwatch/sdk';
import { describeApi } from '../../../../sdk/src/describe-api.ts';

export type Schemas = components['schemas'];

/** The API in words: what it may answer. */
export const apiDocument = describeApi();

/** When the pictures are taken. */
export const NOW_MS = Date.parse('2026-11-02T14:32:10.000Z');

/** A record of the API: the examples of its document, but for what is named here. */
export function make<Name extends keyof Schemas & string>(
  name: Name,
  own: Partial<Schemas[Name]>,
): Schemas[Name] {
  const example = buildExample(
    { $ref: `#/components/schemas/${name}` },
    apiDocument.components.schemas,
  ) as Schemas[Name];
  return { ...example, ...own };
}

/** Answers of lists: a first page that is all. */
export function listOf<T>(items: readonly T[], total = items.length): object {
  return { items, meta: { limit: 50, page: 1, total, total_pages: Math.ceil(total / 50) } };
}

/** So long ago, as the API writes times. */
export function ago(amount: number, unit: 's' | 'min' | 'h' | 'd'): string {
  const seconds = { s: 1, min: 60, h: 3_600, d: 86_400 }[unit];
  return new Date(NOW_MS - amount * seconds * 1_000).toISOString();
}

/** Ids and hashes that look like ones, the same for the same name every time. */
export function uuid(name: string): string {
  const text = digest(name);
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-8${text.slice(17, 20)}-${text.slice(20, 32)}`;
}

export function hash(name: string): string {
  return `0x${digest(name)}`;
}

export function account(name: string): string {
  return getAddress(`0x${digest(name).slice(0, 40)}`);
}

function digest(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}
