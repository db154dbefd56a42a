// SPDX-License-Identifier: Apache-2.0
import { isName } from './scan-body.ts';
import { NOT_JSON, skipSpace, skipString, skipValue } from './skip-value.ts';

/** The reply has no id. */
export const NO_ID = -1;
const QUOTE = 0x22;
/** Ids up to this length are compared byte by byte: cheaper than a call out of JavaScript. */
const SHORT_BYTES_MAX = 40;

/** Members of a node's reply; a start of -1 is an absent one. */
export interface ScannedReply {
  readonly start: number;
  readonly end: number;
  readonly resultStart: number;
  readonly resultEnd: number;
  readonly errorStart: number;
  readonly errorEnd: number;
  readonly idStart: number;
  readonly idEnd: number;
}

/** Finds the members of the reply that starts at `from`; undefined if there is no complete object. */
export function scanReply(bytes: Buffer, from: number): ScannedReply | undefined {
  const reply = {
    start: from,
    end: -1,
    resultStart: -1,
    resultEnd: -1,
    errorStart: -1,
    errorEnd: -1,
    idStart: -1,
    idEnd: -1,
  };
  if (bytes[from] !== 0x7b) return undefined;
  let at = skipSpace(bytes, from + 1);
  while (bytes[at] !== 0x7d) {
    const nameEnd = bytes[at] === 0x22 ? skipString(bytes, at) : NOT_JSON;
    if (nameEnd === NOT_JSON) return undefined;
    const member = memberOf(bytes, at + 1, nameEnd - 1);
    at = skipSpace(bytes, nameEnd);
    if (bytes[at] !== 0x3a) return undefined;
    const start = skipSpace(bytes, at + 1);
    const end = skipValue(bytes, start);
    if (end === NOT_JSON) return undefined;
    if (member === 'result') [reply.resultStart, reply.resultEnd] = [start, end];
    else if (member === 'error') [reply.errorStart, reply.errorEnd] = [start, end];
    else if (member === 'id') [reply.idStart, reply.idEnd] = [start, end];
    at = skipSpace(bytes, end);
    if (bytes[at] === 0x2c) at = skipSpace(bytes, at + 1);
    else if (bytes[at] !== 0x7d) return undefined;
  }
  reply.end = at + 1;
  return reply;
}

/** What the name from `start` to `end` is, between its quotes; undefined for all other names. */
function memberOf(bytes: Buffer, start: number, end: number): 'result' | 'error' | 'id' | undefined {
  const name = ([, , 'id', , , 'error', 'result'] as const)[end - start];
  return name !== undefined && isName(bytes, start, name) ? name : undefined;
}

export function isNull(bytes: Buffer, start: number, end: number): boolean {
  return end - start === 4 && bytes[start] === 0x6e;
}

export function spansEqual(
  one: Buffer,
  start: number,
  end: number,
  other: Buffer,
  otherStart: number,
  otherEnd: number,
): boolean {
  return end - start === otherEnd - otherStart && one.compare(other, otherStart, otherEnd, start, end) === 0;
}

/**
 * Where the id of the reply object that starts at `start` begins, or NO_ID. Nodes write the id among the first members
 * or as the last one; only a reply that has it elsewhere is read from end to end.
 */
export function findReplyId(reply: Buffer, start: number): number {
  const near = findIdNearStart(reply, start);
  if (near !== NO_ID) return near;
  const last = findIdAtEnd(reply);
  return last === NO_ID ? (scanReply(reply, start)?.idStart ?? NO_ID) : last;
}

/** The id that stands before the first list or inner object. `bytes` may be a reply's first bytes or all of it. */
export function findIdNearStart(bytes: Buffer, start: number): number {
  if (bytes[start] !== 0x7b) return NO_ID;
  let at = skipSpace(bytes, start + 1);
  while (bytes[at] === QUOTE) {
    const isId = bytes[at + 1] === 0x69 && bytes[at + 2] === 0x64 && bytes[at + 3] === QUOTE;
    const nameEnd = isId ? at + 4 : skipString(bytes, at);
    if (nameEnd === NOT_JSON) return NO_ID;
    const colon = skipSpace(bytes, nameEnd);
    const valueStart = skipSpace(bytes, colon + 1);
    const first = bytes[valueStart];
    if (!isId && (first === 0x7b || first === 0x5b)) return NO_ID;
    const valueEnd = skipValue(bytes, valueStart);
    // A value that ends with the bytes may continue after them.
    if (bytes[colon] !== 0x3a || valueEnd === NOT_JSON || valueEnd >= bytes.length) return NO_ID;
    if (isId) return valueStart;
    const comma = skipSpace(bytes, valueEnd);
    if (bytes[comma] !== 0x2c) return NO_ID;
    at = skipSpace(bytes, comma + 1);
  }
  return NO_ID;
}

/**
 * The id that is the last member of the object whose last bytes these are. It must be followed by the brace that closes
 * the object, so that neither an inner object nor a string can be mistaken for it.
 */
export function findIdAtEnd(bytes: Buffer): number {
  const close = skipSpaceBack(bytes, bytes.length - 1);
  if (bytes[close] !== 0x7d) return NO_ID;
  const last = skipSpaceBack(bytes, close - 1);
  const start = bytes[last] === QUOTE ? findStringStart(bytes, last) : findLiteralStart(bytes, last);
  const colon = skipSpaceBack(bytes, start - 1);
  if (start === NO_ID || bytes[colon] !== 0x3a) return NO_ID;
  const name = skipSpaceBack(bytes, colon - 1);
  const isId =
    bytes[name] === QUOTE &&
    bytes[name - 1] === 0x64 &&
    bytes[name - 2] === 0x69 &&
    bytes[name - 3] === QUOTE;
  return isId ? start : NO_ID;
}

function skipSpaceBack(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at -= 1;
  return at;
}

function findStringStart(bytes: Buffer, end: number): number {
  for (let at = end - 1; at >= 0; at -= 1) {
    if (bytes[at] !== QUOTE) continue;
    let slashes = 0;
    while (bytes[at - 1 - slashes] === 0x5c) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return NO_ID;
}

function findLiteralStart(bytes: Buffer, end: number): number {
  let at = end;
  while (at >= 0 && isOfLiteral(bytes[at]!)) at -= 1;
  return at === end ? NO_ID : at + 1;
}

/** Digits, letters, `+`, `-` and `.`: the bytes of numbers and null. */
function isOfLiteral(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2d ||
    byte === 0x2e ||
    byte === 0x2b ||
    byte === 0x45
  );
}

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
  if (length > SHORT_BYTES_MAX) return spansEqual(one, start, end, other, otherStart, otherEnd);
  for (let at = 0; at < length; at += 1) if (one[start + at] !== other[otherStart + at]) return false;
  return true;
}

function isShortNumber(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > 15) return false;
  for (let at = start; at < end; at += 1) if (bytes[at]! < 0x30 || bytes[at]! > 0x39) return false;
  return true;
}
