// SPDX-License-Identifier: Apache-2.0
import { NOT_JSON, skipSpace, skipString, skipValue } from './skip-value.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The positions of the members of the object that starts at `from`, by name (only names without escapes); undefined if
 * there is no complete object.
 */
export function scanMembers(bytes: Buffer, from: number): ReadonlyMap<string, Span> | undefined {
  if (bytes[from] !== 0x7b) return undefined;
  const members = new Map<string, Span>();
  let at = skipSpace(bytes, from + 1);
  while (bytes[at] !== 0x7d) {
    const nameEnd = bytes[at] === 0x22 ? skipString(bytes, at) : NOT_JSON;
    if (nameEnd === NOT_JSON) return undefined;
    const name = bytes.toString('latin1', at + 1, nameEnd - 1);
    at = skipSpace(bytes, nameEnd);
    if (bytes[at] !== 0x3a) return undefined;
    const start = skipSpace(bytes, at + 1);
    const end = skipValue(bytes, start);
    if (end === NOT_JSON) return undefined;
    members.set(name, { start, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === 0x2c) at = skipSpace(bytes, at + 1);
    else if (bytes[at] !== 0x7d) return undefined;
  }
  return members;
}
