import { z } from 'zod';
import type { AddValue } from '../lists/build-conditions.ts';

const PREFIX = 'metadata.';
const KEYS_MAX = 10;

/** The values that a member of the metadata may have, by its name. */
export type MetadataFilter = Readonly<Record<string, readonly string[]>>;

/** `?metadata.<key>=<value>`, gathered by `takeMetadata`. */
export const metadataFilter = z
  .record(z.string().min(1).max(128), z.array(z.string().max(1_024)).min(1).max(100))
  .refine((value) => Object.keys(value).length > 0, { error: 'expected a key of the metadata' })
  .refine((value) => Object.keys(value).length <= KEYS_MAX, {
    error: `expected at most ${KEYS_MAX} keys of the metadata`,
  })
  .optional()
  .meta({
    description:
      'Only addresses whose metadata has this value under the key, as text, a number, true, false or null: `metadata.customer_id=1042`. Repeated for a key: one of the values. Several keys: all of them.',
    examples: [{ 'metadata.customer_id': '1042' }],
    type: 'object',
    propertyNames: { pattern: '^metadata\\..+' },
    additionalProperties: { type: 'string' },
  });

/** The schema of a query that may have `metadata.<key>` parameters: they become its member `metadata`. */
export function takeMetadata<T extends z.ZodType>(query: T) {
  return z.preprocess((input) => gather(input as Readonly<Record<string, unknown>>), query);
}

function gather(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  // Schemas of records leave `__proto__` out: as no filter at all it is refused instead.
  const isMember = ([name]: [string, unknown]): boolean =>
    name.startsWith(PREFIX) && name !== `${PREFIX}__proto__`;
  const members = Object.entries(query).filter(isMember);
  if (members.length === 0) return { ...query };
  return {
    ...Object.fromEntries(Object.entries(query).filter((entry) => !isMember(entry))),
    metadata: Object.fromEntries(members.map(([name, value]) => [name.slice(PREFIX.length), [value].flat()])),
  };
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
