// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';

/** An expression that is refused. The message says where and why, and may be shown to clients. */
export class ExpressionError extends BaseError {
  readonly code = 'invalid_expression';
  readonly retryable = false;
  declare readonly publicMessage: string;
  /** @param offset of the character, from 0 */
  constructor(text: string, offset: number, reason: string) {
    const message = `${placeOf(text, offset)}: ${reason}`;
    super(message, { publicMessage: message });
  }
}

/** Both from 1. */
function placeOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
}
