// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';

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
