// SPDX-License-Identifier: Apache-2.0
const SHOWN_CHARACTERS_MAX = 80;

/** A value for an error text, shortened; undefined when there is none. Objects show as their type only. */
export function showValue(value: unknown): string | undefined {
  if (typeof value === 'string') return showString(value);
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  return showType(value);
}

export function showType(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** Characters, items or bytes of what has a length. */
export function showLength(value: unknown): string | undefined {
  if (typeof value === 'string' || Array.isArray(value)) return String(value.length);
  if (value instanceof Set || value instanceof Map) return String(value.size);
  return showType(value);
}

function showString(text: string): string {
  if (text.length <= SHOWN_CHARACTERS_MAX) return JSON.stringify(text);
  return `${JSON.stringify(text.slice(0, SHOWN_CHARACTERS_MAX))}… (${text.length} characters)`;
}
