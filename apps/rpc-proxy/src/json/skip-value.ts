const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Returned instead of a place: there is no JSON here. Bodies are scanned as bytes and never re-serialised. */
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
  // A loop for names and short values: cheaper than a call out of JavaScript.
  const near = Math.min(bytes.length, at + 66);
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
