// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '../problem/index.ts';

/** A text that is not the CAIP identifier it should be. The message says expected and got, and may be shown to clients. */
export class InvalidCaipError extends BaseError {
  readonly code = 'invalid_caip';
  readonly retryable = false;
  declare readonly publicMessage: string;
  constructor(expected: string, got: unknown) {
    const message = `expected ${expected}, got ${showValue(got)}`;
    super(message, { publicMessage: message });
  }
}

/** Clients send anything: a longer text would make the error a means to fill logs. */
const SHOWN_CHARACTERS_MAX = 80;

export function showValue(value: unknown): string {
  if (typeof value !== 'string')
    return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  if (value.length <= SHOWN_CHARACTERS_MAX) return JSON.stringify(value);
  return `${JSON.stringify(value.slice(0, SHOWN_CHARACTERS_MAX))}… (${value.length} characters)`;
}
