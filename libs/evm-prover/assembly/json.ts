// A scanner of JSON as nodes write it. It is strict: what it takes, JSON.parse takes too and reads alike. What it does not
// take (escapes, characters beyond ASCII, anything malformed) traps, and the caller reads the text with JSON.parse.
// Texts are followed by zero bytes, at which every rule here ends.

let at: usize = 0;

/** Content of the last text, without its quotes. */
export let textAt: usize = 0;
export let textLength: u32 = 0;

/** The last key: its length, its first eight bytes; when it is longer its last eight, and longer than those its second eight. */
export let keyLength: u32 = 0;
export let keyHead: u64 = 0;
export let keyMiddle: u64 = 0;
export let keyTail: u64 = 0;

export function seek(position: usize): void {
  at = position;
}

/** Of the next character that is not a space. */
export function position(): usize {
  skipSpace();
  return at;
}

@inline
export function peek(): u32 {
  skipSpace();
  return load<u8>(at);
}

export function take(char: u32): void {
  skipSpace();
  if (load<u8>(at) != char) unreachable();
  at++;
}

export function takeIf(char: u32): bool {
  skipSpace();
  if (load<u8>(at) != char) return false;
  at++;
  return true;
}

export function takeNull(): void {
  takeLiteral(0x6c6c756e, 4); // null
}

/** Nothing but space is left before `end`. */
export function takeEnd(end: usize): void {
  if (at < end) skipSpace();
  if (at != end) unreachable();
}

/** A text; `textAt` and `textLength` tell where it stands. */
export function takeText(): void {
  if (load<u8>(at) != 0x22) unreachable();
  const from = at + 1;
  let to = from;
  let found: i32;
  while (true) {
    const chars = v128.load(to);
    // Signed: control characters, and all beyond ASCII, are less than a space.
    const isSpecial = v128.or(
      v128.or(i8x16.eq(chars, i8x16.splat(0x22)), i8x16.eq(chars, i8x16.splat(0x5c))),
      i8x16.lt_s(chars, i8x16.splat(0x20)),
    );
    found = i8x16.bitmask(isSpecial);
    if (found != 0) break;
    to += 16;
  }
  to += ctz(found);
  if (load<u8>(to) != 0x22) unreachable();
  textAt = from;
  textLength = <u32>(to - from);
  at = to + 1;
}

/** A key and its colon. */
export function takeKey(): void {
  skipSpace();
  takeText();
  const length = textLength;
  keyLength = length;
  keyHead = length >= 8 ? load<u64>(textAt) : length == 0 ? 0 : load<u64>(textAt) & (~(<u64>0) >> (64 - 8 * <u64>length));
  keyMiddle = length > 16 ? load<u64>(textAt, 8) : 0;
  keyTail = length > 8 ? load<u64>(textAt + length - 8) : 0;
  take(0x3a);
  skipSpace();
}

export function skipValue(): void {
  skipSpace();
  const char: u32 = load<u8>(at);
  if (char == 0x22) return takeText();
  if (char == 0x7b) {
    at++;
    if (takeIf(0x7d)) return;
    do {
      skipSpace();
      takeText();
      take(0x3a);
      skipValue();
    } while (takeIf(0x2c));
    return take(0x7d);
  }
  if (char == 0x5b) {
    at++;
    if (takeIf(0x5d)) return;
    do skipValue();
    while (takeIf(0x2c));
    return take(0x5d);
  }
  if (char == 0x6e) return takeNull();
  if (char == 0x74) return takeLiteral(0x65757274, 4); // true
  if (char == 0x66) {
    at++;
    return takeLiteral(0x65736c61, 4); // (f)alse
  }
  takeNumber();
}

function takeLiteral(chars: u32, length: usize): void {
  if (load<u32>(at) != chars) unreachable();
  at += length;
}

function takeNumber(): void {
  if (load<u8>(at) == 0x2d) at++;
  if (load<u8>(at) == 0x30) at++;
  else takeDigits();
  if (load<u8>(at) == 0x2e) {
    at++;
    takeDigits();
  }
  if ((load<u8>(at) | 0x20) == 0x65) {
    at++;
    const sign: u32 = load<u8>(at);
    if (sign == 0x2b || sign == 0x2d) at++;
    takeDigits();
  }
}

function takeDigits(): void {
  const from = at;
  while (<u32>load<u8>(at) - 0x30 < 10) at++;
  if (at == from) unreachable();
}

@inline
function skipSpace(): void {
  let char: u32 = load<u8>(at);
  while (char <= 0x20) {
    if (char != 0x20 && char != 0x0a && char != 0x0d && char != 0x09) unreachable();
    at++;
    char = load<u8>(at);
  }
}
