// Finds the transactions of a block, and receipts with their logs, in JSON-RPC answers. A field that comes twice traps:
// readers differ about which one counts.

import * as json from './json';
import * as keys from './keys';
import * as layout from './layout';
import * as rows from './rows';

/** The block's object, and in it the list of transactions, its brackets included. */
export let blockStart: usize = 0;
export let blockEnd: usize = 0;
export let listStart: usize = 0;
export let listEnd: usize = 0;

/** Its withdrawals; none where it has no such list. */
export let withdrawalRows: usize = 0;
export let withdrawalCount: u32 = 0;

/** A block has no more, the trie's keys are for as many, and a list of nothings takes no memory. */
const TRANSACTIONS_MAX: u32 = 65535;

export let transactionRows: usize = 0;
export let transactionCount: u32 = 0;
export let receiptRows: usize = 0;
export let receiptCount: u32 = 0;

/** The block and its transactions, which are whole objects. */
export function scanBlock(): void {
  openAnswer();
  blockStart = json.position();
  listStart = 0;
  withdrawalRows = 0;
  withdrawalCount = 0;
  json.take(0x7b);
  do {
    json.takeKey();
    if (keys.isTransactions()) scanTransactions();
    else if (keys.isWithdrawals()) scanWithdrawals();
    else json.skipValue();
  } while (json.takeIf(0x2c));
  json.take(0x7d);
  blockEnd = json.position();
  closeAnswer();
  if (listStart == 0) unreachable();
}

/** A list or null. */
function scanWithdrawals(): void {
  if (withdrawalRows != 0) unreachable();
  withdrawalRows = rows.allocate(0);
  if (json.peek() != 0x5b) return json.takeNull();
  json.take(0x5b);
  if (json.takeIf(0x5d)) return;
  do {
    if (withdrawalCount == TRANSACTIONS_MAX) unreachable();
    scanWithdrawal(rows.allocate(layout.WITHDRAWAL_SIZE));
    withdrawalCount++;
  } while (json.takeIf(0x2c));
  json.take(0x5d);
}

function scanWithdrawal(row: usize): void {
  json.take(0x7b);
  do {
    json.takeKey();
    if (keys.isIndex()) scanText(row + layout.WITHDRAWAL_INDEX);
    else if (keys.isAmount()) scanText(row + layout.WITHDRAWAL_AMOUNT);
    else if (keys.isAddress()) scanText(row + layout.WITHDRAWAL_ADDRESS);
    else if (keys.isValidatorIndex()) scanText(row + layout.WITHDRAWAL_VALIDATOR);
    else json.skipValue();
  } while (json.takeIf(0x2c));
  json.take(0x7d);
}

export function scanReceipts(): void {
  openAnswer();
  receiptCount = 0;
  receiptRows = rows.allocate(layout.RECEIPT_SIZE * transactionCount);
  json.take(0x5b);
  if (!json.takeIf(0x5d)) {
    do {
      if (receiptCount == transactionCount) unreachable();
      scanReceipt(receiptRows + layout.RECEIPT_SIZE * receiptCount);
      receiptCount++;
    } while (json.takeIf(0x2c));
    json.take(0x5d);
  }
  closeAnswer();
}

/** Digit of the number that the last answer has; 0: it has none, or another. */
export let answerId: u32 = 0;

/** The members of an answer up to its result; an error is not taken. */
function openAnswer(): void {
  json.take(0x7b);
  answerId = 0;
  if (!skipToResult()) unreachable();
}

/** The members after the result. */
function closeAnswer(): void {
  if (json.takeIf(0x2c) && skipToResult()) unreachable();
  json.take(0x7d);
}

function skipToResult(): bool {
  do {
    json.takeKey();
    if (keys.isResult()) return true;
    if (keys.isError()) {
      json.takeNull();
    } else if (keys.isId()) {
      const digit = json.position();
      json.skipValue();
      const next = load<u8>(digit + 1);
      answerId = next == 0x2c || next == 0x7d || next <= 0x20 ? load<u8>(digit) - 0x30 : 0;
    } else {
      json.skipValue();
    }
  } while (json.takeIf(0x2c));
  return false;
}

function scanTransactions(): void {
  if (listStart != 0) unreachable();
  listStart = json.position();
  transactionCount = 0;
  // Rows are allocated one after the other, so they are one table.
  transactionRows = rows.allocate(0);
  json.take(0x5b);
  if (!json.takeIf(0x5d)) {
    do {
      if (transactionCount == TRANSACTIONS_MAX) unreachable();
      scanTransaction(rows.allocate(layout.TX_SIZE));
      transactionCount++;
    } while (json.takeIf(0x2c));
    json.take(0x5d);
  }
  listEnd = json.position();
}

function scanTransaction(row: usize): void {
  store<u32>(row, <u32>json.position(), layout.TX_START);
  json.take(0x7b);
  do {
    json.takeKey();
    const slot = keys.transactionSlot();
    if (slot == layout.TX_HAS_ACCESSES) scanAccesses(row);
    else if (slot != 0) scanText(row + slot);
    else json.skipValue();
  } while (json.takeIf(0x2c));
  json.take(0x7d);
  store<u32>(row, <u32>json.position(), layout.TX_END);
}

/** 1: none (null or an empty list), 2: some. */
function scanAccesses(row: usize): void {
  if (load<u32>(row, layout.TX_HAS_ACCESSES) != 0) unreachable();
  let found: u32 = 1;
  if (json.peek() == 0x5b) {
    const from = json.position();
    json.take(0x5b);
    if (!json.takeIf(0x5d)) {
      found = 2;
      json.seek(from);
      json.skipValue();
    }
  } else {
    json.takeNull();
  }
  store<u32>(row, found, layout.TX_HAS_ACCESSES);
}

function scanReceipt(row: usize): void {
  store<u32>(row, <u32>json.position(), layout.RECEIPT_START);
  json.take(0x7b);
  do {
    json.takeKey();
    const slot = keys.receiptSlot();
    if (slot == layout.RECEIPT_HAS_LOGS) scanLogs(row);
    else if (slot != 0) scanText(row + slot);
    else json.skipValue();
  } while (json.takeIf(0x2c));
  json.take(0x7d);
  store<u32>(row, <u32>json.position(), layout.RECEIPT_END);
}

function scanLogs(row: usize): void {
  if (load<u32>(row, layout.RECEIPT_HAS_LOGS) != 0) unreachable();
  store<u32>(row, 1, layout.RECEIPT_HAS_LOGS);
  store<u32>(row, <u32>rows.allocate(0), layout.RECEIPT_LOGS);
  let count: u32 = 0;
  json.take(0x5b);
  if (!json.takeIf(0x5d)) {
    do {
      scanLog(rows.allocate(layout.LOG_SIZE));
      count++;
    } while (json.takeIf(0x2c));
    json.take(0x5d);
  }
  store<u32>(row, count, layout.RECEIPT_LOG_COUNT);
}

function scanLog(row: usize): void {
  json.take(0x7b);
  do {
    json.takeKey();
    if (keys.isAddress()) scanText(row + layout.LOG_ADDRESS);
    else if (keys.isData()) scanText(row + layout.LOG_DATA);
    else if (keys.isTopics()) scanTopics(row);
    else json.skipValue();
  } while (json.takeIf(0x2c));
  json.take(0x7d);
  if (!rows.has(row, layout.LOG_ADDRESS) || !rows.has(row, layout.LOG_DATA) || load<u32>(row, layout.LOG_HAS_TOPICS) == 0) unreachable();
}

function scanTopics(row: usize): void {
  if (load<u32>(row, layout.LOG_HAS_TOPICS) != 0) unreachable();
  store<u32>(row, 1, layout.LOG_HAS_TOPICS);
  let count: u32 = 0;
  json.take(0x5b);
  if (!json.takeIf(0x5d)) {
    do {
      json.peek();
      json.takeText();
      if (count == 4 || json.textLength != 66) unreachable();
      store<u32>(row + layout.LOG_TOPICS + 4 * count, <u32>json.textAt);
      count++;
    } while (json.takeIf(0x2c));
    json.take(0x5d);
  }
  store<u32>(row, count, layout.LOG_TOPIC_COUNT);
}

/** A text or null. */
function scanText(slot: usize): void {
  if (load<u64>(slot) != 0) unreachable();
  if (json.peek() == 0x22) {
    json.takeText();
    store<u32>(slot, <u32>json.textAt);
    store<u32>(slot, json.textLength, 4);
  } else {
    json.takeNull();
    store<u32>(slot, 1, 4);
  }
}
