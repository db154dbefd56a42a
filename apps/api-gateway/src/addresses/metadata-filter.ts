// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { AddValue } from '../lists/build-conditions.ts';

/** `metadata.<key>`, and as clients write an object: `metadata[<key>]`, with `[]` or an index behind for several values. */
const MEMBER = /^metadata(?:\.(.+)|\[([^\]]+)\](?:\[\d*\])?)$/s;
const KEYS_MAX = 10;

/** The values that a member of the metadata may have, by its name. */
export type MetadataFilter = Readonly<Record<string, readonly string[]>>;

/** `?metadata[<key>]=<value>` or `?metadata.<key>=<value>`, gathered by `takeMetadata`. */
export const metadataFilter = z
  .record(z.string().min(1).max(128), z.array(z.string().max(1_024)).min(1).max(100))
  .refine((value) => Object.keys(value).length > 0, { error: 'expected a key of the metadata' })
  .refine((value) => Object.keys(value).length <= KEYS_MAX, {
    error: `expected at most ${KEYS_MAX} keys of the metadata`,
  })
  .optional()
  .meta({
    description:
      'Only addresses whose metadata has this value under the key, as text, a number, true, false or null: `metadata[customer_id]=1042` or `metadata.customer_id=1042`. Repeat a key to match any of its values. With several keys, all of them must match.',
    examples: [{ customer_id: '1042' }],
    type: 'object',
    additionalProperties: { type: 'string' },
  });

/** The schema of a query that may filter on metadata: its parameters become the member `metadata`. */
export function takeMetadata<T extends z.ZodType>(query: T) {
  return z.preprocess((input) => gather(input as Readonly<Record<string, unknown>>), query);
}

function gather(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  // The bare name is no filter: the schema refuses it.
  if (Object.hasOwn(query, 'metadata')) return { ...query };
  const others: [string, unknown][] = [];
  const members = new Map<string, unknown[]>();
  for (const [name, value] of Object.entries(query)) {
    const key = findKey(name);
    if (key === undefined) others.push([name, value]);
    else members.set(key, [...(members.get(key) ?? []), value].flat());
  }
  return {
    ...Object.fromEntries(others),
    ...(members.size > 0 && { metadata: Object.fromEntries(members) }),
  };
}

/** Schemas of records leave `__proto__` out: as no filter at all it is refused instead. */
function findKey(name: string): string | undefined {
  const [, dotted, bracketed] = MEMBER.exec(name) ?? [];
  const key = dotted ?? bracketed;
  return key === '__proto__' ? undefined : key;
}

/** Conditions on `addresses` that their index answers. */
export function matchMetadata(filter: MetadataFilter, add: AddValue): string[] {
  return Object.entries(filter).map(([key, values]) => {
    const alternatives = values
      .flatMap(listJsonValues)
      .map((value) => `metadata @> ${add(`{${JSON.stringify(key)}:${value}}`)}::jsonb`);
    return `metadata <> '{}' AND (${alternatives.join(' OR ')})`;
  });
}

/** What a text of a URL may stand for: `1042` is "1042" and the number. */
function listJsonValues(text: string): string[] {
  const isScalar = /^(true|false|null)$/.test(text) || String(Number(text)) === text;
  return [JSON.stringify(text), ...(isScalar && text !== 'NaN' && !text.endsWith('Infinity') ? [text] : [])];
}
