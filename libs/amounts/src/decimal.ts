/** An exact decimal number as text: no exponent, no plus sign, no leading zeros, digits on both sides of the point. */
export const DECIMAL_PATTERN = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

export const DECIMAL_EXPECTED = 'a decimal number such as "1.5"';

/** Room for a uint256 with 255 decimals several times over; bounds the work that a stranger's text can cause. */
export const DECIMAL_LENGTH_MAX = 1024;

export interface DecimalParts {
  readonly isNegative: boolean;
  readonly whole: string;
  readonly fraction: string;
}

export function splitDecimal(text: unknown): DecimalParts | undefined {
  if (typeof text !== 'string' || text.length > DECIMAL_LENGTH_MAX || !DECIMAL_PATTERN.test(text))
    return undefined;
  const isNegative = text.startsWith('-');
  const [whole = '', fraction = ''] = (isNegative ? text.slice(1) : text).split('.');
  return { isNegative, whole, fraction };
}
