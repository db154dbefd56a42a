import { spansEqual } from './scan-reply.ts';

/**
 * Whether two ids are the same JSON value. Nodes return an id as it came or rewrite it: 1e3 as 1000, "\u0061" as "a", a
 * number beyond 2^53 rounded.
 */
export function idsEqual(
  one: Buffer,
  start: number,
  end: number,
  other: Buffer,
  otherStart: number,
  otherEnd: number,
): boolean {
  if (isSameText(one, start, end, other, otherStart, otherEnd)) return true;
  // Nearly all ids are short whole numbers, which have only one spelling.
  if (isShortNumber(one, start, end) && isShortNumber(other, otherStart, otherEnd)) return false;
  return idKeyOf(one, start, end) === idKeyOf(other, otherStart, otherEnd);
}

/** Returns the same text for ids that are the same value. */
export function idKeyOf(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end);
  try {
    const id = JSON.parse(text) as unknown;
    // Converted to bytes: many nodes treat half a surrogate pair like any other malformed text.
    if (typeof id === 'string') return `"${Buffer.from(id).toString()}`;
    return typeof id === 'number' ? String(id) : JSON.stringify(id);
  } catch {
    return text;
  }
}

/** Short ids are compared byte by byte: cheaper than a call out of JavaScript. */
function isSameText(
  one: Buffer,
  start: number,
  end: number,
  other: Buffer,
  otherStart: number,
  otherEnd: number,
): boolean {
  const length = end - start;
  if (length !== otherEnd - otherStart) return false;
  if (length > SHORT) return spansEqual(one, start, end, other, otherStart, otherEnd);
  for (let at = 0; at < length; at += 1) if (one[start + at] !== other[otherStart + at]) return false;
  return true;
}

const SHORT = 40;

function isShortNumber(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > 15) return false;
  for (let at = start; at < end; at += 1) if (bytes[at]! < 0x30 || bytes[at]! > 0x39) return false;
  return true;
}
