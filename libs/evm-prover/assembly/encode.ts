// Encodes transactions, receipts and withdrawals as the roots hold them: EIP-2718, EIP-2930, EIP-1559, EIP-658.
//
// RLP is written from the hexadecimal texts of a JSON answer, from the end to the front: an item's length is known by the
// time its header is written, so nothing is measured or copied. Only `0x` and lower-case digits are taken; anything else traps.

import * as layout from './layout';
import * as rows from './rows';

const BLOOM_BYTES: u32 = 256;

/** Whether `writeTransaction` knows how. */
export function canWrite(row: usize): bool {
  const type = load<u32>(row, layout.TX_TYPE_NUMBER);
  // The caller knows what contract a creation makes, which no root covers.
  if (type > 2 || load<u32>(row, layout.TX_HAS_ACCESSES) == 2 || !rows.has(row, layout.TX_TO)) return false;
  if (!rows.has(row, layout.TX_NONCE) || !rows.has(row, layout.TX_GAS) || !rows.has(row, layout.TX_VALUE) || !rows.has(row, layout.TX_INPUT)) return false;
  if (!rows.has(row, layout.TX_R) || !rows.has(row, layout.TX_S)) return false;
  if (type == 0) return rows.has(row, layout.TX_GAS_PRICE) && rows.has(row, layout.TX_V);
  if (!rows.has(row, layout.TX_CHAIN_ID) || (!rows.has(row, layout.TX_Y_PARITY) && !rows.has(row, layout.TX_V))) return false;
  if (type == 1) return rows.has(row, layout.TX_GAS_PRICE);
  return rows.has(row, layout.TX_MAX_FEE) && rows.has(row, layout.TX_MAX_PRIORITY_FEE);
}

export function writeTransaction(row: usize): void {
  const end = written();
  const type = load<u32>(row, layout.TX_TYPE_NUMBER);
  quantityOf(row, layout.TX_S);
  quantityOf(row, layout.TX_R);
  quantityOf(row, type != 0 && rows.has(row, layout.TX_Y_PARITY) ? layout.TX_Y_PARITY : layout.TX_V);
  if (type != 0) byte(0xc0); // the access list
  dataOf(row, layout.TX_INPUT);
  quantityOf(row, layout.TX_VALUE);
  dataOf(row, layout.TX_TO);
  quantityOf(row, layout.TX_GAS);
  if (type == 2) {
    quantityOf(row, layout.TX_MAX_FEE);
    quantityOf(row, layout.TX_MAX_PRIORITY_FEE);
  } else {
    quantityOf(row, layout.TX_GAS_PRICE);
  }
  quantityOf(row, layout.TX_NONCE);
  if (type != 0) quantityOf(row, layout.TX_CHAIN_ID);
  list(end);
  if (type != 0) byte(type);
}

export function writeReceipt(row: usize, type: u32): void {
  const end = written();
  const logCount = load<u32>(row, layout.RECEIPT_LOG_COUNT);
  writeLogs(load<u32>(row, layout.RECEIPT_LOGS), logCount);
  if (logCount == 0) {
    zeros(BLOOM_BYTES);
    header(BLOOM_BYTES, 0x80);
  } else {
    // Some nodes leave it out: then JavaScript makes one of the logs.
    if (rows.lengthOf(row, layout.RECEIPT_BLOOM) != 2 + 2 * BLOOM_BYTES) unreachable();
    dataOf(row, layout.RECEIPT_BLOOM);
  }
  quantityOf(row, layout.RECEIPT_CUMULATIVE_GAS);
  quantityOf(row, layout.RECEIPT_STATUS);
  list(end);
  if (type != 0) byte(type);
}

export function writeWithdrawal(row: usize): void {
  const end = written();
  quantityOf(row, layout.WITHDRAWAL_AMOUNT);
  dataOf(row, layout.WITHDRAWAL_ADDRESS);
  quantityOf(row, layout.WITHDRAWAL_VALIDATOR);
  quantityOf(row, layout.WITHDRAWAL_INDEX);
  list(end);
}

function writeLogs(first: usize, count: u32): void {
  const end = written();
  for (let i = count; i > 0; i--) {
    const row = first + layout.LOG_SIZE * (i - 1);
    const logEnd = written();
    dataOf(row, layout.LOG_DATA);
    const topicsEnd = written();
    for (let j = load<u32>(row, layout.LOG_TOPIC_COUNT); j > 0; j--) data(load<u32>(row + layout.LOG_TOPICS + 4 * (j - 1)), 66);
    list(topicsEnd);
    if (rows.lengthOf(row, layout.LOG_ADDRESS) != 42) unreachable();
    dataOf(row, layout.LOG_ADDRESS);
    list(logEnd);
  }
  list(end);
}

@inline
function quantityOf(row: usize, slot: usize): void {
  quantity(rows.textAtOf(row, slot), rows.lengthOf(row, slot));
}

@inline
function dataOf(row: usize, slot: usize): void {
  data(rows.textAtOf(row, slot), rows.lengthOf(row, slot));
}

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

/** Traps unless the text is `0x` and one to 64 lower-case digits, as parse-raw-block.ts of libs/chain-evm has it. */
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
