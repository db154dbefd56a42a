// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { assetPathSchema, chainGidSchema } from '@chainwatch/common/caip';
import { listFamilies } from '@chainwatch/chain-registry';

const FIRST_TIME = new Date('0000-01-01T00:00:00.000Z');
const LAST_TIME = new Date('9999-12-31T23:59:59.999Z');

export const chainParams = z.object({ chain_gid: chainGidSchema });
export const assetParams = z.object({ chain_gid: chainGidSchema, asset_path: assetPathSchema });
export const families = listFamilies().map(({ name }) => name);
export const familySchema = z.enum(families);
/** Part of a name: at most 128 characters. */
export const searchSchema = z.string().trim().min(1).max(128).optional();
/** A name that a user gives something. */
export const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .meta({ description: 'Optional name.', examples: ['Payments'] });
/** An offset can move a time out of the four-digit years, which no answer could show. */
export const timestampSchema = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine((date) => date >= FIRST_TIME && date <= LAST_TIME, {
    error: 'expected a time in the years 0 to 9999, UTC',
  });
/** `until` of a list: the last millisecond that is included (decisions.md §12: exclusive, in milliseconds). */
export const untilSchema = timestampSchema.transform(
  (date) => new Date(Math.max(FIRST_TIME.getTime(), date.getTime() - 1)),
);
/**
 * When one of our own records was made. Clamped to the epoch: nothing is older, and Prisma does not accept the year 0.
 */
export const madeAtSchema = timestampSchema.transform((date) => new Date(Math.max(0, date.getTime())));
/** The same for an `until`. */
export const madeUntilSchema = madeAtSchema.transform((date) => new Date(Math.max(0, date.getTime() - 1)));
