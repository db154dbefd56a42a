// Tables of what the scanner found: a row each for transactions, receipts and logs. A text in a row is its position and its
// length; a position of 0 is null, or a field that is not there.

@inline
export function textAtOf(row: usize, slot: usize): usize {
  return load<u32>(row + slot);
}

@inline
export function lengthOf(row: usize, slot: usize): u32 {
  return load<u32>(row + slot, 4);
}

/** Whether a row has a text in this slot. */
@inline
export function has(row: usize, slot: usize): bool {
  return load<u32>(row + slot) != 0;
}

// Transactions.
export const TX_START: usize = 0;
export const TX_END: usize = 4;
/** EIP-2718 type. */
export const TX_TYPE_NUMBER: usize = 8;
/** 1: JavaScript encodes it. */
export const TX_IS_FOREIGN: usize = 12;
/** Its encoding: where it stands, its length. */
export const TX_ENCODING: usize = 16;
/** 1: it has an access list that is not empty. */
export const TX_HAS_ACCESSES: usize = 24;
export const TX_HASH: usize = 32;
export const TX_TYPE: usize = 40;
export const TX_FROM: usize = 48;
export const TX_TO: usize = 56;
export const TX_NONCE: usize = 64;
export const TX_GAS: usize = 72;
export const TX_GAS_PRICE: usize = 80;
export const TX_MAX_FEE: usize = 88;
export const TX_MAX_PRIORITY_FEE: usize = 96;
export const TX_VALUE: usize = 104;
export const TX_INPUT: usize = 112;
export const TX_CHAIN_ID: usize = 120;
export const TX_V: usize = 128;
export const TX_Y_PARITY: usize = 136;
export const TX_R: usize = 144;
export const TX_S: usize = 152;
export const TX_SIZE: usize = 160;

// Receipts.
export const RECEIPT_START: usize = 0;
export const RECEIPT_END: usize = 4;
/** Row of its first log. */
export const RECEIPT_LOGS: usize = 8;
export const RECEIPT_LOG_COUNT: usize = 12;
/** As `TX_ENCODING`. */
export const RECEIPT_ENCODING: usize = 16;
/** 1: the list of logs was there. */
export const RECEIPT_HAS_LOGS: usize = 24;
export const RECEIPT_TX_HASH: usize = 32;
export const RECEIPT_TX_INDEX: usize = 40;
export const RECEIPT_BLOCK_HASH: usize = 48;
export const RECEIPT_FROM: usize = 56;
export const RECEIPT_STATUS: usize = 64;
export const RECEIPT_CUMULATIVE_GAS: usize = 72;
export const RECEIPT_GAS_USED: usize = 80;
export const RECEIPT_BLOOM: usize = 88;
export const RECEIPT_CONTRACT: usize = 96;
export const RECEIPT_GAS_PRICE: usize = 104;
/** What only the fee is reckoned from. */
export const RECEIPT_BLOB_GAS_USED: usize = 112;
export const RECEIPT_BLOB_GAS_PRICE: usize = 120;
export const RECEIPT_L1_FEE: usize = 128;
export const RECEIPT_OPERATOR_SCALAR: usize = 136;
export const RECEIPT_OPERATOR_CONSTANT: usize = 144;
export const RECEIPT_FOOTPRINT_SCALAR: usize = 152;
export const RECEIPT_SIZE: usize = 160;

// Logs.
export const LOG_ADDRESS: usize = 0;
export const LOG_DATA: usize = 8;
export const LOG_TOPIC_COUNT: usize = 16;
/** 1: the list of topics was there. */
export const LOG_HAS_TOPICS: usize = 20;
/** Positions only: every topic is a word. */
export const LOG_TOPICS: usize = 24;
export const LOG_SIZE: usize = 40;

// Withdrawals.
export const WITHDRAWAL_INDEX: usize = 0;
export const WITHDRAWAL_VALIDATOR: usize = 8;
export const WITHDRAWAL_ADDRESS: usize = 16;
export const WITHDRAWAL_AMOUNT: usize = 24;
export const WITHDRAWAL_SIZE: usize = 32;

/** Memory that is free from here on. */
let top: usize = 0;

export function startTables(from: usize): void {
  top = (from + 15) & ~15;
}

/** Zeroed, at a multiple of 8; one after the other. */
export function allocate(size: usize): usize {
  const from = reserve(size);
  memory.fill(from, 0, size);
  return from;
}

/** As it was left, at a multiple of 8. */
export function reserve(size: usize): usize {
  const from = top;
  top = (top + size + 7) & ~7;
  const missing = <i32>((top + 0xffff) >>> 16) - memory.size();
  if (missing > 0 && memory.grow(max(missing, 64)) < 0) unreachable();
  return from;
}
