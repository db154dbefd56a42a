import { invalidRequest } from '@chainwatch/problem';

const ACCEPTED = /^[\x20-\x7e]{1,255}$/;

/** @throws ProblemError 400 */
export function parseIdempotencyKey(text: string | undefined): string | undefined {
  if (text === undefined || ACCEPTED.test(text)) return text;
  const got = text === '' ? 'nothing' : text.length > 255 ? `${text.length} characters` : 'other characters';
  throw invalidRequest([
    { name: 'Idempotency-Key', reason: `expected 1 to 255 printable ASCII characters, got ${got}` },
  ]);
}
