import { BaseError } from '@chainwatch/problem';

/** A text or a number of decimals that is no amount. The message says expected and got, and may be shown to clients. */
export class InvalidAmountError extends BaseError {
  readonly code = 'invalid_amount';
  readonly retryable = false;
  declare readonly publicMessage: string;
  constructor(expected: string, got: unknown) {
    const message = `expected ${expected}, got ${showValue(got)}`;
    super(message, { publicMessage: message });
  }
}

/** @throws InvalidAmountError */
export function checkDecimals(decimals: number): void {
  if (Number.isInteger(decimals) && decimals >= 0 && decimals <= 255) return;
  throw new InvalidAmountError('decimals from 0 to 255', decimals);
}

export function showValue(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return value === null ? 'null' : typeof value;
  return value.length <= 80
    ? JSON.stringify(value)
    : `${JSON.stringify(value.slice(0, 80))}… (${value.length} characters)`;
}
