// SPDX-License-Identifier: Apache-2.0
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OBJECT = 0x7b;
const LIST = 0x5b;

/** Returned instead of a place: there is no JSON here. Bodies are scanned as bytes and never re-serialized. */
export const NOT_JSON = -1;

export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
}

/** The place after the string that starts at `at`. */
export function skipString(bytes: Buffer, at: number): number {
  // A loop for names and values up to a hash of 32 bytes: cheaper than a call out of JavaScript.
  const near = Math.min(bytes.length, at + 70);
  for (let next = at + 1; next < near; next += 1) {
    const byte = bytes[next];
    if (byte === QUOTE) return next + 1;
    if (byte === BACKSLASH) next += 1;
  }
  return skipLongString(bytes, at);
}

function skipLongString(bytes: Buffer, at: number): number {
  for (let quote = bytes.indexOf(QUOTE, at + 1); quote >= 0; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let slashes = 0;
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
  }
  return NOT_JSON;
}

/**
 * The place after the value that starts at `at`. Only brackets and strings are matched; the node judges what is inside.
 */
export function skipValue(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === QUOTE) return skipString(bytes, at);
  if (first === 0x7b || first === 0x5b) return skipContainer(bytes, at);
  return skipLiteral(bytes, at);
}

// Iterative, because the sender chooses the depth.
function skipContainer(bytes: Buffer, from: number): number {
  const { length } = bytes;
  let depth = 0;
  for (let at = from; at < length; at += 1) {
    switch (bytes[at]) {
      case QUOTE: {
        const end = skipString(bytes, at);
        if (end === NOT_JSON) return NOT_JSON;
        at = end - 1;
        break;
      }
      case 0x7b:
      case 0x5b:
        depth += 1;
        break;
      case 0x7d:
      case 0x5d:
        depth -= 1;
        if (depth === 0) return at + 1;
        break;
      default:
        break;
    }
  }
  return NOT_JSON;
}

function skipLiteral(bytes: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at] ?? 0;
    // Digits, letters, `+`, `-` and `.`: the bytes of numbers, true, false and null.
    const isPart =
      (byte >= 0x30 && byte <= 0x39) ||
      (byte >= 0x61 && byte <= 0x7a) ||
      byte === 0x2d ||
      byte === 0x2e ||
      byte === 0x2b ||
      byte === 0x45;
    if (!isPart) return at === from ? NOT_JSON : at;
    at += 1;
  }
}

/**
 * The kinds of the containers around the current place. All calls share it, because no value is read while another one
 * is.
 */
let kinds = new Uint8Array(256);

/**
 * The place after the JSON value (RFC 8259) that starts at `from`. NOT_JSON if some node would reject the value or read
 * it differently. Iterative, because the sender chooses the depth; the depth is bounded by the body's length.
 */
export function skipStrictValue(bytes: Buffer, from: number): number {
  let depth = 0;
  let at = from;
  for (;;) {
    const first = bytes[at];
    if (first === OBJECT || first === LIST) {
      const inside = skipSpace(bytes, at + 1);
      if (bytes[inside] !== first + 2) {
        if (depth === kinds.length) kinds = grow(kinds);
        kinds[depth] = first;
        depth += 1;
        at = first === LIST ? inside : skipName(bytes, inside);
        if (at === NOT_JSON) return NOT_JSON;
        continue;
      }
      at = inside + 1;
    } else {
      at = first === QUOTE ? skipStrictString(bytes, at) : skipStrictLiteral(bytes, at);
      if (at === NOT_JSON) return NOT_JSON;
    }
    // After a value: closes the containers that end here, then goes to the next value.
    for (;;) {
      if (depth === 0) return at;
      at = skipSpace(bytes, at);
      const kind = kinds[depth - 1]!;
      if (bytes[at] === 0x2c) {
        at = skipSpace(bytes, at + 1);
        if (kind === OBJECT) at = skipName(bytes, at);
        if (at === NOT_JSON) return NOT_JSON;
        break;
      }
      if (bytes[at] !== kind + 2) return NOT_JSON;
      depth -= 1;
      at += 1;
    }
  }
}

/** The place after the string that starts at `at`: no control characters, and only escapes that JSON defines. */
export function skipStrictString(bytes: Buffer, at: number): number {
  const { length } = bytes;
  for (let next = at + 1; next < length; next += 1) {
    const byte = bytes[next]!;
    if (byte === QUOTE) return next + 1;
    if (byte < 0x20) return NOT_JSON;
    if (byte !== BACKSLASH) continue;
    next += 1;
    if (bytes[next] === 0x75) {
      for (const end = next + 4; next < end; ) if (!isHex(bytes[(next += 1)])) return NOT_JSON;
    } else if (!isEscape(bytes[next])) return NOT_JSON;
  }
  return NOT_JSON;
}

/** Skips a member's name and the colon, up to its value. */
function skipName(bytes: Buffer, at: number): number {
  const end = bytes[at] === QUOTE ? skipStrictString(bytes, at) : NOT_JSON;
  if (end === NOT_JSON) return NOT_JSON;
  const colon = skipSpace(bytes, end);
  return bytes[colon] === 0x3a ? skipSpace(bytes, colon + 1) : NOT_JSON;
}

function skipStrictLiteral(bytes: Buffer, at: number): number {
  switch (bytes[at]) {
    case 0x74:
      return skipWord(bytes, at, 'true');
    case 0x66:
      return skipWord(bytes, at, 'false');
    case 0x6e:
      return skipWord(bytes, at, 'null');
    default:
      return skipNumber(bytes, at);
  }
}

function skipWord(bytes: Buffer, at: number, word: string): number {
  for (let index = 0; index < word.length; index += 1)
    if (bytes[at + index] !== word.charCodeAt(index)) return NOT_JSON;
  return at + word.length;
}

/** Sign, digits without a leading zero, fraction, exponent. The caller refuses what may not follow a number. */
function skipNumber(bytes: Buffer, from: number): number {
  const start = bytes[from] === 0x2d ? from + 1 : from;
  let at = bytes[start] === 0x30 ? start + 1 : skipDigits(bytes, start);
  if (at !== NOT_JSON && bytes[at] === 0x2e) at = skipDigits(bytes, at + 1);
  if (at === NOT_JSON || (bytes[at] !== 0x65 && bytes[at] !== 0x45)) return at;
  const sign = bytes[at + 1];
  return skipDigits(bytes, sign === 0x2b || sign === 0x2d ? at + 2 : at + 1);
}

function skipDigits(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at += 1;
  return at === from ? NOT_JSON : at;
}

function isHex(byte = 0): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

/** " \ / b f n r t */
function isEscape(byte: number | undefined): boolean {
  switch (byte) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return true;
    default:
      return false;
  }
}

function grow(from: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(from.length * 2);
  larger.set(from);
  return larger;
}
