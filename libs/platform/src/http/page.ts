// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';

export interface PageRequest {
  readonly limit: number;
  /** Default 1. */
  readonly page?: number | undefined;
  /** Where the page begins, in place of `page`. */
  readonly cursor?: string | undefined;
}

const pageMetaSchema = z
  .object({
    limit: z
      .int()
      .min(1)
      .max(100)
      .meta({ description: 'Items a page.', examples: [20] }),
    page: z
      .int()
      .min(1)
      .meta({ description: 'Which page this is, from 1.', examples: [1] }),
    total: z
      .int()
      .min(0)
      .meta({ description: 'Items on all pages.', examples: [1] }),
    total_pages: z
      .int()
      .min(0)
      .meta({ description: 'How many pages there are.', examples: [1] }),
    next_cursor: z
      .string()
      .optional()
      .meta({
        description: 'The `cursor` of the next page; absent on the last one.',
        examples: ['v1.main.3q2-7wAA'],
      }),
  })
  .meta({ id: 'PageMeta', description: 'The position of the page in the list.' });

/** The envelope of every paginated list (interface.md, pagination envelope). */
export function pageSchema<T extends z.ZodType>(item: T) {
  return z.object({
    items: z.array(item).meta({ description: 'The page, in the order that was asked for.' }),
    meta: pageMetaSchema.meta({ description: 'Position and size of the list.' }),
  });
}

export interface Page<T> {
  items: T[];
  meta: {
    limit: number;
    page: number;
    total: number;
    total_pages: number;
    next_cursor?: string | undefined;
  };
}

export function toPage<T>(
  items: T[],
  {
    total,
    request: { limit, page = 1 },
    nextCursor,
  }: { readonly total: number; readonly request: PageRequest; readonly nextCursor?: string },
): Page<T> {
  return {
    items,
    meta: { limit, page, total, total_pages: Math.ceil(total / limit), next_cursor: nextCursor },
  };
}

/** Rows to skip, capped at the 32 bits that databases accept as an offset; no list is that long. */
export function offsetOf({ limit, page = 1 }: PageRequest): number {
  return Math.min((page - 1) * limit, 2 ** 31 - 1);
}

/** `?ids=a,b&ids=c` → ['a', 'b', 'c']: repeated, comma-separated and mixed (decisions.md 1.11). */
export function listParameter<T extends z.ZodType>(item: T, max = 100) {
  return z.preprocess(
    (value) => (value === undefined ? undefined : splitList(value)),
    z.array(item).min(1).max(max).optional(),
  );
}

/** `?is_active=true`. */
export const booleanParameter = z.enum(['true', 'false']).transform((value) => value === 'true');

/** Decimal digits only, within the range that PostgreSQL's bigint and JavaScript represent exactly. */
export function integerParameter(min: number, max: number = Number.MAX_SAFE_INTEGER) {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'expected an integer')
    .transform(Number)
    .pipe(z.number().int().min(min).max(max));
}

/** `limit`, `page` and `cursor` of every list. Whether a page was asked for shows: some parameters go without it. */
export const pageParameters = {
  limit: integerParameter(1, 100).default(20),
  page: integerParameter(1).optional().meta({ default: 1 }),
  cursor: z.string().min(1).max(4_096).optional(),
};

/** `sort_by` over the given fields, with `-` for descending. */
export function sortParameter<const F extends string>(fields: readonly F[], initial: F | `-${F}`) {
  return z
    .enum(fields.flatMap((field) => [field, `-${field}` as const]))
    .default(initial as never) as z.ZodType<F | `-${F}`, unknown>;
}

function splitList(value: unknown): unknown[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((entry) =>
    typeof entry === 'string' ? entry.split(',').map((part) => part.trim()) : [entry],
  );
}
