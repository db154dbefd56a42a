// Writes RLP from the hexadecimal texts of a JSON answer, from the end to the front: an item's length
// is known by the time its header is written, so nothing is measured or copied. Only `0x` and lower-case digits are taken; anything else traps.

/** Where the next byte is written before. */
let cursor: usize = 0;

export function startAt(end: usize): void {
  cursor = end;
}

export function written(): usize {
  return cursor;
}

@inline
export function byte(value: u32): void {
  cursor--;
  store<u8>(cursor, value);
}

export function zeros(count: usize): void {
  cursor -= count;
  memory.fill(cursor, 0, count);
}

/** Raw bytes without a header. */
export function bytes(from: usize, count: usize): void {
  cursor -= count;
  memory.copy(cursor, from, count);
}

export function header(length: u32, base: u32): void {
  if (length < 56) return byte(base + length);
  let count: u32 = 0;
  for (let rest = length; rest > 0; rest >>= 8) {
    byte(rest & 255);
    count++;
  }
  byte(base + 55 + count);
}

/** Closes the list whose fields were written since `end`. */
@inline
export function list(end: usize): void {
  header(<u32>(end - cursor), 0xc0);
}

/** A byte string: addresses, hashes, data. Nothing (`at` 0) and `0x` are the empty string. */
export function data(at: usize, length: u32): void {
  if (at == 0) return byte(0x80);
  expectPrefix(at, length);
  if (length == 2) return byte(0x80);
  if (length & 1) unreachable();
  const count = (length - 2) >> 1;
  cursor -= count;
  decode(at + 2, count, cursor);
  if (count == 1 && load<u8>(cursor) < 0x80) return;
  header(count, 0x80);
}

/** A number without leading zeros. */
export function quantity(at: usize, length: u32): void {
  if (at == 0) return byte(0x80);
  expectPrefix(at, length);
  const end = at + length;
  let first = at + 2;
  while (first < end && load<u8>(first) == 0x30) first++;
  const digits = <u32>(end - first);
  if (digits == 0) return byte(0x80);
  cursor -= digits >> 1;
  decode(first + (digits & 1), digits >> 1, cursor);
  if (digits & 1) byte(digitOf(load<u8>(first)));
  const count = (digits + 1) >> 1;
  if (count == 1 && load<u8>(cursor) < 0x80) return;
  header(count, 0x80);
}

/** A quantity of at most 64 bits as a number. */
export function valueOf(at: usize, length: u32): u64 {
  expectQuantity(at, length);
  let value: u64 = 0;
  if (length > 18) unreachable();
  for (let digit = at + 2; digit < at + length; digit++) value = (value << 4) | digitOf(load<u8>(digit));
  return value;
}

/** Traps unless the text is `0x` and one to 64 lower-case digits, as src/canonical-hex.ts has it. */
export function expectQuantity(at: usize, length: u32): void {
  if (at == 0 || length < 3 || length > 66) unreachable();
  expectPrefix(at, length);
  for (let digit = at + 2; digit < at + length; digit++) digitOf(load<u8>(digit));
}

/** Traps unless the text is `count` bytes in lower-case digits; writes them to `to`. */
export function expectBytes(at: usize, length: u32, count: u32, to: usize): void {
  if (at == 0 || length != 2 + 2 * count) unreachable();
  expectPrefix(at, length);
  decode(at + 2, count, to);
}

@inline
function expectPrefix(at: usize, length: u32): void {
  if (length < 2 || load<u16>(at) != 0x7830) unreachable();
}

@inline
function digitOf(char: u32): u32 {
  if (char - 0x30 < 10) return char - 0x30;
  if (char - 0x61 < 6) return char - 0x57;
  unreachable();
  return 0;
}

/** `count` bytes from twice as many digits. */
function decode(digits: usize, count: u32, to: usize): void {
  if (count < 16) {
    for (let i: u32 = 0; i < count; i++) {
      store<u8>(to + i, (digitOf(load<u8>(digits + 2 * i)) << 4) | digitOf(load<u8>(digits + 2 * i + 1)));
    }
    return;
  }
  let isValid = i8x16.splat(-1);
  const last = count - 16;
  // The last sixteen overlap those before unless `count` is a multiple of them.
  for (let i: u32 = 0; ; i = min(i + 16, last)) {
    const first = v128.load(digits + 2 * i);
    const second = v128.load(digits + 2 * i, 16);
    isValid = v128.and(isValid, v128.and(areDigits(first), areDigits(second)));
    v128.store(to + i, i8x16.narrow_i16x8_u(pairs(first), pairs(second)));
    if (i == last) break;
  }
  if (!i8x16.all_true(isValid)) unreachable();
}

@inline
function areDigits(chars: v128): v128 {
  return v128.or(i8x16.lt_u(i8x16.sub(chars, i8x16.splat(0x30)), i8x16.splat(10)), i8x16.lt_u(i8x16.sub(chars, i8x16.splat(0x61)), i8x16.splat(6)));
}

/** Eight bytes, one in each 16 bits, from sixteen digits. */
@inline
function pairs(chars: v128): v128 {
  const isLetter = i8x16.gt_u(chars, i8x16.splat(0x39));
  const digits = i8x16.add(v128.and(chars, i8x16.splat(0x0f)), v128.and(isLetter, i8x16.splat(9)));
  return v128.and(v128.or(i16x8.shl(digits, 4), i16x8.shr_u(digits, 8)), i16x8.splat(0xff));
}
