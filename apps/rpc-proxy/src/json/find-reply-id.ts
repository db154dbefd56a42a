import { scanReply } from './scan-reply.ts';
import { NOT_JSON, skipSpace, skipString, skipValue } from './skip-value.ts';

/** The reply has no id. */
export const NO_ID = -1;
const QUOTE = 0x22;

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
