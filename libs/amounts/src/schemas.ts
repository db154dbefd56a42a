import { z } from 'zod';
import { DECIMAL_LENGTH_MAX } from './decimal.ts';
import { showValue } from './invalid-amount-error.ts';

/** A decimal string of zero or more, such as the `min_amount` filter. */
export const positiveDecimalSchema = patternSchema(
  /^(?:0|[1-9]\d*)(?:\.\d+)?$/,
  'a decimal number of zero or more such as "1.5"',
);

function patternSchema(pattern: RegExp, expected: string): z.ZodString {
  const error = ({ input }: { input?: unknown }) => `expected ${expected}, got ${showValue(input)}`;
  const tooLong = ({ input }: { input?: unknown }) =>
    `expected at most ${DECIMAL_LENGTH_MAX} characters, got ${showValue(input)}`;
  return z
    .string({ error })
    .max(DECIMAL_LENGTH_MAX, { error: tooLong, abort: true })
    .regex(pattern, { error });
}
