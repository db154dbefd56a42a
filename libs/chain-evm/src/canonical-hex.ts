import { IncompleteBlockError } from '@chainwatch/chain-core';

/** `quantity`: a number of at most 32 bytes; `data`: whole bytes; the others: bytes of a fixed length. */
type HexForm = 'quantity' | 'data' | 'address' | 'word' | 'status';

const SHAPES: Readonly<Record<HexForm, { readonly pattern: RegExp; readonly expected: string }>> = {
  quantity: { pattern: /^0x[0-9a-f]{1,64}$/, expected: 'a quantity' },
  data: { pattern: /^0x(?:[0-9a-f]{2})*$/, expected: 'whole bytes' },
  address: { pattern: /^0x[0-9a-f]{40}$/, expected: '20 bytes' },
  word: { pattern: /^0x[0-9a-f]{64}$/, expected: '32 bytes' },
  status: { pattern: /^0x0{0,63}[01]$/, expected: '0x0 or 0x1' },
};

/** The fields of an object that hold hexadecimal digits. */
export interface HexFields<T> {
  readonly read: readonly (readonly [keyof T & string, HexForm])[];
  readonly hashed: readonly (keyof T & string)[];
}

/**
 * Brings the fields of a node's answer to the spelling that all later code relies on: `0x` and lower-case
 * digits. Otherwise a value could be proved in one spelling and compared or read in another. Null and absent
 * fields stay.
 * @param what for the error: `transaction 3`
 * @throws IncompleteBlockError naming the first field that is read and malformed
 */
export function normalizeHex<T extends object>(
  target: Partial<T>,
  { read, hashed }: HexFields<T>,
  what: string,
): void {
  const fields = target as Record<string, unknown>;
  for (const [field, form] of read) {
    const value = fields[field];
    if (value === undefined || value === null || isCanonical(value, form)) continue;
    fields[field] = toCanonical(value, form, `${field} of ${what}`);
  }
  for (const field of hashed) {
    const value = fields[field];
    if (typeof value === 'string' && /[A-Z]/.test(value)) fields[field] = value.toLowerCase();
  }
}

/** Removes malformed fields that would be read, instead of refusing the whole object. */
export function dropMalformed<T extends object>(target: Partial<T>, { read }: HexFields<T>): void {
  const fields = target as Record<string, unknown>;
  for (const [field, form] of read) {
    const value = fields[field];
    const lower = typeof value === 'string' ? value.toLowerCase() : undefined;
    if (lower !== undefined && isCanonical(lower, form)) fields[field] = lower;
    else delete fields[field];
  }
}

/** `normalizeHex` of the topics of a log. */
export function normalizeTopics(topics: readonly unknown[], what: string): void {
  const items = topics as unknown[];
  for (let i = 0; i < items.length; i++) {
    if (!isCanonical(items[i], 'word')) items[i] = toCanonical(items[i], 'word', `topic ${i} of ${what}`);
  }
}

function isCanonical(value: unknown, form: HexForm): boolean {
  return typeof value === 'string' && SHAPES[form].pattern.test(value);
}

function toCanonical(value: unknown, form: HexForm, what: string): string {
  const lower = typeof value === 'string' ? value.toLowerCase() : undefined;
  if (lower !== undefined && isCanonical(lower, form)) return lower;
  const got = typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : typeof value;
  throw new IncompleteBlockError(`${what}: expected ${SHAPES[form].expected} in hexadecimal, got ${got}`);
}
